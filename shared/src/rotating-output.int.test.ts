import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { LOG_BYTES, LOG_FILES } from './log-files.ts';

const PROGRAM = fileURLToPath(new URL('../testing/logging-process.ts', import.meta.url));
/** What the buffer before the file holds, and one line. */
const PIECE_BYTES = 8_192;

let folder: string;
let log: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lontar-log-'));
  log = join(folder, 'x.log');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function start(...args: (string | number)[]) {
  const fd = openSync(log, 'a', 0o600);
  const child = spawn(process.execPath, [PROGRAM, ...args.map(String)], { stdio: ['ignore', fd, 'inherit'] });
  closeSync(fd);
  return child;
}

/** The numbers of all lines that are kept, the oldest file's first; throws where a line is cut, other than the last. */
function kept(): number[] {
  const age = (name: string) => Number(/\.(\d+)$/.exec(name)?.[1] ?? 0);
  const text = readdirSync(folder)
    .toSorted((a, b) => age(b) - age(a))
    .map((name) => readFileSync(join(folder, name), 'utf8'))
    .join('');
  // The kernel ends a killed writer's last write at the next page.
  return text
    .slice(0, text.lastIndexOf('\n'))
    .split('\n')
    .map((line) => (JSON.parse(line) as { number: number }).number);
}

const sizes = () => readdirSync(folder).map((name) => statSync(join(folder, name)).size);
const upTo = (count: number, from = 0) => Array.from({ length: count - from }, (_, index) => from + index);

describe('a log that is rotated while it is written', () => {
  test('loses and cuts no line, over more than a hundred rotations', async () => {
    expect(await once(start(log, 60_000, 50_000, 1_000), 'exit')).toEqual([0, null]);
    expect(readdirSync(folder).length).toBeGreaterThan(100);
    expect(kept()).toEqual(upTo(60_000));
  });

  test('keeps the newest lines within five times its size under a flood, at any moment', async () => {
    const bytes = 100_000;
    const writer = start(log, 100_000, bytes, 5);
    let isOver = false;
    writer.once('exit', () => {
      isOver = true;
    });
    let most = 0;
    while (!isOver) {
      most = Math.max(most, statsNow());
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    expect(most).toBeLessThanOrEqual(5 * (bytes + PIECE_BYTES));
    expect(readdirSync(folder).toSorted()).toEqual(['x.log', 'x.log.1', 'x.log.2', 'x.log.3', 'x.log.4']);
    const numbers = kept();
    expect(numbers).toEqual(upTo(100_000, numbers[0]));
    for (const name of readdirSync(folder)) expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
  });

  test('is by default five files of 10 MB', async () => {
    expect(await once(start(log, 700_000), 'exit')).toEqual([0, null]);
    expect(sizes()).toHaveLength(LOG_FILES);
    expect(Math.max(...sizes())).toBeLessThanOrEqual(LOG_BYTES + PIECE_BYTES);
    const numbers = kept();
    expect(numbers).toEqual(upTo(700_000, numbers[0]));
  });

  test('cuts no line but the last when its writer is killed', async () => {
    const writer = start(log, 1e9, 50_000, 5);
    while (!readdirSync(folder).includes('x.log.4')) await new Promise((resolve) => setTimeout(resolve, 5));
    writer.kill('SIGKILL');
    await once(writer, 'exit');
    rmSync(`${log}.new`, { force: true });
    // Where it died between the copy and the emptying, the log and its copy hold the same lines.
    const numbers = [...new Set(kept())];
    expect(numbers).toEqual(upTo((numbers.at(-1) ?? 0) + 1, numbers[0]));
  });
});

describe('a disk that is full', () => {
  test.each([
    ['a rotated log', [50_000, 5]],
    ['standard output', []],
  ])('ends no process that writes to %s', async (_what, more) => {
    const full = openSync('/dev/full', 'a');
    const args = [log, 50_000, ...more].map(String);
    const writer = spawn(process.execPath, [PROGRAM, ...args], { stdio: ['ignore', full, 'inherit'] });
    closeSync(full);
    expect(await once(writer, 'exit')).toEqual([0, null]);
  });
});

test('a log that another program renamed is not touched', async () => {
  const writer = start(log, 1e9, 50_000, 5);
  while (!readdirSync(folder).includes('x.log.1')) await new Promise((resolve) => setTimeout(resolve, 5));
  renameSync(log, join(folder, 'mine.log'));
  const size = statSync(join(folder, 'mine.log')).size;
  while (statSync(join(folder, 'mine.log')).size < size + 200_000)
    await new Promise((resolve) => setTimeout(resolve, 5));
  writer.kill('SIGKILL');
  await once(writer, 'exit');
});

function statsNow(): number {
  return readdirSync(folder).reduce((sum, name) => {
    try {
      return sum + statSync(join(folder, name)).size;
    } catch {
      return sum;
    }
  }, 0);
}
