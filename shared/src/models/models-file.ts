import { constants } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { ConfigError } from '../config/read-config.ts';
import { type CatalogProblem, type CatalogSource, createCatalog, type ModelCatalog } from './catalog.ts';
import type { ModelsReading, ReadModels } from './read-models.ts';
import { readModelsAside } from './read-models-aside.ts';

/** A ConfigMap of Kubernetes holds no more either. */
const MOST_BYTES = 1_048_576;
const LOOK_EVERY_MS = 1_000;

export interface ModelsFileOptions {
  readonly path: string;
  /** What else the process needs of a file, such as keys that are there; what it finds is a problem of the file. */
  readonly check?: ((file: ReadModels) => readonly CatalogProblem[]) | undefined;
  /** Told of a newer file that is not taken up, and of one that is. */
  readonly onBroken?: ((problems: readonly CatalogProblem[]) => void) | undefined;
  readonly onTaken?: ((catalog: ModelCatalog) => void) | undefined;
  /** Another pace of looking, for tests. */
  readonly lookEveryMs?: number | undefined;
}

/**
 * Reads the file of models, and takes up what it is changed to from then on. It is looked at once a second, by its name:
 * so it does not matter whether it is written over, replaced by another file or led to by links, as in Kubernetes. What has
 * changed is read when it has stood still from one look to the next, because half of a file may well be valid. One that
 * is broken, gone, or no file at all leaves the catalog as it is.
 *
 * @throws ConfigError when the first file cannot be taken, with all of its problems
 */
export async function openModelsFile(options: ModelsFileOptions): Promise<CatalogSource> {
  const first = await readFile(options);
  if (!first.ok) throw new ConfigError(first.problems.map((problem) => describeProblem(options.path, problem)));
  return new WatchedFile(options, first);
}

/** A problem as editors and terminals know how to follow it. */
export function describeProblem(path: string, { line, column, message }: CatalogProblem): string {
  return `${path}:${line}:${column}: ${message}`;
}

/**
 * Reads the file of models once.
 *
 * @returns never rejects: what keeps it from being read is a problem
 */
export async function readModelsFile(options: Pick<ModelsFileOptions, 'path' | 'check'>): Promise<ModelsReading> {
  const { reading } = await readFile(options);
  return reading;
}

class WatchedFile implements CatalogSource {
  current: ModelCatalog;
  problems: readonly CatalogProblem[] = [];
  readonly #options: ModelsFileOptions;
  readonly #listeners = new Set<(catalog: ModelCatalog) => void>();
  readonly #timer: NodeJS.Timeout;
  /** What was judged, and what has been seen since and may still be being written. */
  #judged: string;
  #seen: string | undefined;
  #looking: Promise<void> = Promise.resolve();
  #isBusy = false;
  #isStopped = false;

  constructor(options: ModelsFileOptions, { stamp, catalog }: { stamp: string; catalog: ModelCatalog }) {
    this.#options = options;
    this.current = catalog;
    this.#judged = stamp;
    this.#timer = setInterval(() => this.#lookAgain(), options.lookEveryMs ?? LOOK_EVERY_MS);
    this.#timer.unref();
  }

  onChange(listener: (catalog: ModelCatalog) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    clearInterval(this.#timer);
    await this.#looking;
  }

  #lookAgain(): void {
    if (this.#isBusy) return;
    this.#isBusy = true;
    this.#looking = this.#look().finally(() => {
      this.#isBusy = false;
    });
  }

  async #look(): Promise<void> {
    const stamp = await stampAt(this.#options.path);
    const stoodStill = stamp === this.#seen;
    this.#seen = stamp;
    if (stamp === this.#judged || !stoodStill) return;
    const read = await readFile(this.#options);
    // It was written to while it was read: the next looks will tell.
    if (this.#isStopped || read.stamp !== stamp) return;
    this.#judged = stamp;
    this.#judge(read);
  }

  #judge(read: FileReading): void {
    this.problems = read.problems;
    if (!read.ok) {
      this.#options.onBroken?.(read.problems);
      return;
    }
    this.current = read.catalog;
    for (const listener of this.#listeners) listener(read.catalog);
    this.#options.onTaken?.(read.catalog);
  }
}

type FileReading = {
  readonly stamp: string;
  readonly problems: readonly CatalogProblem[];
  readonly reading: ModelsReading;
} & ({ readonly ok: true; readonly catalog: ModelCatalog } | { readonly ok: false });

async function readFile({ path, check }: Pick<ModelsFileOptions, 'path' | 'check'>): Promise<FileReading> {
  const { stamp, text, message } = await readText(path);
  if (text === undefined) return broken(stamp, [{ line: 1, column: 1, message }]);
  const reading = await readModelsAside(text);
  if (!reading.ok) return broken(stamp, reading.problems);
  const problems = check?.(reading.file) ?? [];
  if (problems.length > 0) return broken(stamp, problems);
  const catalog = createCatalog('file', reading.file.upstreams, reading.file.models);
  return { ok: true, stamp, problems: [], reading, catalog };
}

function broken(stamp: string, problems: readonly CatalogProblem[]): FileReading {
  return { ok: false, stamp, problems, reading: { ok: false, problems } };
}

type TextReading =
  | { readonly stamp: string; readonly text: string; readonly message?: undefined }
  | { readonly stamp: string; readonly text?: undefined; readonly message: string };

async function readText(path: string): Promise<TextReading> {
  let handle: FileHandle | undefined;
  try {
    // Without the flag, a pipe in the file's place would be waited for.
    handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const stats = await handle.stat({ bigint: true });
    const stamp = stampOf(stats);
    if (!stats.isFile()) return { stamp, message: 'this is no file: a file of models is needed here' };
    const buffer = Buffer.alloc(MOST_BYTES + 1);
    let size = 0;
    for (;;) {
      const { bytesRead } = await handle.read(buffer, size, buffer.byteLength - size);
      size += bytesRead;
      if (bytesRead === 0 || size > MOST_BYTES) break;
    }
    if (size > MOST_BYTES) return { stamp, message: `the file is larger than ${MOST_BYTES} bytes` };
    return { stamp, text: new TextDecoder('utf-8', { fatal: true }).decode(buffer.subarray(0, size)) };
  } catch (error) {
    if (codeOf(error) === 'ERR_ENCODING_INVALID_ENCODED_DATA')
      return { stamp: await stampAt(path), message: 'the file is not UTF-8' };
    return { stamp: await stampAt(path), message: `the file cannot be read (${codeOf(error)})` };
  } finally {
    await handle?.close();
  }
}

/** Changes with what the name leads to, and with what is written there; of what cannot be looked at, why. */
async function stampAt(path: string): Promise<string> {
  try {
    return stampOf(await stat(path, { bigint: true }));
  } catch (error) {
    return codeOf(error);
  }
}

function stampOf({
  dev,
  ino,
  size,
  mtimeNs,
  ctimeNs,
}: { readonly [Name in 'dev' | 'ino' | 'size' | 'mtimeNs' | 'ctimeNs']: bigint }) {
  return [dev, ino, size, mtimeNs, ctimeNs].join(' ');
}

function codeOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : 'unknown';
}
