import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Frame, parseFrames } from '@lontar/shared/live/frames.ts';
import { createNumberedReader, readNumberedEntry } from '@lontar/shared/live/numbered-frames.ts';

/** What a Redis has ever written to its append-only files. */
export interface WrittenFiles {
  readonly text: string;
  /** The text that the frames of each start of each request make, and its gaps, if any. */
  readonly starts: readonly WrittenStart[];
}

export interface WrittenStart {
  readonly requestId: string;
  /** The first piece without a gap from the beginning. */
  readonly text: string;
}

/**
 * Reads the append-only files of a Redis.
 *
 * @param directory of the server
 * @throws where they cannot be read
 */
export async function readWrittenFiles(directory: string): Promise<WrittenFiles> {
  const folder = join(directory, 'appendonlydir');
  const names = (await readdir(folder)).filter((name) => name.endsWith('.aof') || name.endsWith('.rdb'));
  const files = await Promise.all(names.toSorted().map((name) => readFile(join(folder, name))));
  const byStart = new Map<string, Frame[]>();
  const note = (frame: Frame) => {
    if (frame[2] !== 'text') return;
    const start = `${frame[0]} ${frame[1]}`;
    byStart.set(start, [...(byStart.get(start) ?? []), frame]);
  };
  // Each inbox counts the entries of its own.
  const inboxes = new Map<string, ReturnType<typeof createNumberedReader>>();
  for (const file of files) {
    for (const [command, key = '', ...words] of commandsOf(file)) {
      if (command?.toUpperCase() !== 'XADD') continue;
      const fields = words.slice(words.findIndex((word) => /^\d+-\d+$/.test(word)) + 1);
      if (fields[0] === 'frames') for (const frame of parseFrames(fields[1] ?? '')) note(frame);
      const entry = readNumberedEntry(fields);
      const inbox = inboxes.get(key) ?? createNumberedReader();
      inboxes.set(key, inbox);
      if (entry) inbox.read(entry, note);
    }
  }
  return {
    text: files.map((file) => file.toString()).join('\n'),
    starts: [...byStart.values()].map((frames) => ({ requestId: frames[0]?.[0] ?? '', text: joined(frames) })),
  };
}

/** The commands of an append-only file: each is `*COUNT`, and for each word `$BYTES` and the word. What is none is left out. */
function* commandsOf(file: Buffer): Generator<string[]> {
  let at = 0;
  const line = () => {
    const end = file.indexOf('\r\n', at);
    const text = file.toString('latin1', at, end < 0 ? file.length : end);
    at = end < 0 ? file.length : end + 2;
    return text;
  };
  while (at < file.length) {
    const count = Number(/^\*(\d+)$/.exec(line())?.[1] ?? 0);
    const words: string[] = [];
    for (let left = count; left > 0; left--) {
      const bytes = Number(/^\$(\d+)$/.exec(line())?.[1]);
      if (Number.isNaN(bytes)) break;
      words.push(file.toString('utf8', at, at + bytes));
      at += bytes + 2;
    }
    if (words.length > 0) yield words;
  }
}

function joined(frames: readonly Frame[]): string {
  let text = '';
  for (const [, , , offset, data] of frames.toSorted((a, b) => a[3] - b[3])) {
    if (offset > text.length) break;
    text += data.slice(text.length - offset);
  }
  return text;
}
