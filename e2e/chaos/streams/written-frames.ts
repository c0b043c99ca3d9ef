import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Frame, parseFrames } from '@lontar/shared/live/frames.ts';

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
  const texts = await Promise.all(names.toSorted().map((name) => readFile(join(folder, name), 'utf8')));
  const text = texts.join('\n');
  const byStart = new Map<string, Frame[]>();
  for (const [list] of text.matchAll(/^\[\["req_.*$/gm)) {
    for (const frame of parseFrames(list.trimEnd()) ?? []) {
      if (frame[2] !== 'text') continue;
      const start = `${frame[0]} ${frame[1]}`;
      byStart.set(start, [...(byStart.get(start) ?? []), frame]);
    }
  }
  return {
    text,
    starts: [...byStart.values()].map((frames) => ({ requestId: frames[0]?.[0] ?? '', text: joined(frames) })),
  };
}

function joined(frames: readonly Frame[]): string {
  let text = '';
  for (const [, , , offset, data] of frames.toSorted((a, b) => a[3] - b[3])) {
    if (offset > text.length) break;
    text += data.slice(text.length - offset);
  }
  return text;
}
