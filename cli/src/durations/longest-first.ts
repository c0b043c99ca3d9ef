import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type sequencer from '@jest/test-sequencer';

/** How long test files take, by their path from the project's folder, seconds. */
export type Durations = Readonly<Record<string, number>>;

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
/** Where `npm run durations` notes the long ones. */
export const DURATIONS_FILE = new URL('durations.json', import.meta.url);

/** What a file takes that is neither noted nor was run here, by the layer in its name, seconds. */
const E2E_SECONDS = 15;
const INTEGRATION_SECONDS = 1;
const UNIT_SECONDS = 0.5;

interface TestFile {
  readonly path: string;
  /** What it took when it last ran here, ms. */
  readonly duration?: number;
}

/**
 * Puts the files that take longest first, so that no worker is left with a long one while the others have ended. What
 * is noted counts before what was seen here, which may have been a part of the file.
 *
 * @param files by absolute paths
 * @param root the folder that paths of `noted` start from
 */
export function longestFirst<File extends TestFile>(files: readonly File[], root: string, noted: Durations): File[] {
  const seconds = ({ path, duration }: File) =>
    noted[relative(root, path)] ?? (duration === undefined ? guess(path) : duration / 1000);
  return files.toSorted((one, other) => seconds(other) - seconds(one));
}

function guess(path: string): number {
  if (path.endsWith('.e2e.test.ts')) return E2E_SECONDS;
  return path.endsWith('.int.test.ts') ? INTEGRATION_SECONDS : UNIT_SECONDS;
}

// By its types its default is what it exports, as for Node's `require`.
const { default: TestSequencer } = createRequire(import.meta.url)('@jest/test-sequencer') as typeof sequencer;

/** The order in which Jest starts test files. Its own goes by their size in a fresh clone. */
export default class LongestFirst extends TestSequencer {
  readonly #noted = JSON.parse(readFileSync(DURATIONS_FILE, 'utf8')) as Durations;

  override async sort(tests: Parameters<sequencer.default['sort']>[0]): Promise<typeof tests> {
    return longestFirst(await super.sort(tests), ROOT, this.#noted);
  }
}
