import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism, constants, setPriority } from 'node:os';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, test } from '@jest/globals';

const PROGRAM = fileURLToPath(new URL('../testing/watched-process.ts', import.meta.url));
const LIMIT_MS = 1_000;

let child: ChildProcess;
let lines: string[];

function start(way: string, ...more: string[]): void {
  child = spawn(process.execPath, [PROGRAM, String(LIMIT_MS), way, ...more], { stdio: ['ignore', 'pipe', 'inherit'] });
  lines = [];
  if (child.stdout) createInterface({ input: child.stdout }).on('line', (line) => lines.push(line));
}
afterEach(() => void child.kill('SIGKILL'));

const ended = async () => (await once(child, 'close')) as [number | null, string | null];
async function beats(count: number): Promise<void> {
  const from = lines.length;
  while (lines.length < from + count) await once(child.stdout as NonNullable<ChildProcess['stdout']>, 'data');
}

describe('a process whose event loop is silent', () => {
  test.each(['code', 'pattern', 'system'])('in %s is killed, and its last line says why', async (way) => {
    start(way);
    expect(await ended()).toEqual([null, 'SIGKILL']);
    const last = JSON.parse(lines.at(-1) ?? '') as Record<string, unknown>;
    expect(last).toEqual({
      level: 'fatal',
      time: expect.stringMatching(/^\d{4}-.+Z$/),
      service: 'watched',
      silentMs: expect.any(Number),
      msg: 'the event loop is silent; the process ends itself to be started again',
    });
    expect(last['silentMs']).toBeGreaterThanOrEqual(LIMIT_MS);
  });

  test('because what it writes is not read is killed all the same', async () => {
    child = spawn(process.execPath, [PROGRAM, String(LIMIT_MS), 'output'], { stdio: ['ignore', 'pipe', 'inherit'] });
    expect(await once(child, 'exit')).toEqual([null, 'SIGKILL']);
  });
});

describe('a process lives on', () => {
  test('after a pause of half the limit', async () => {
    start('code', String(LIMIT_MS / 2));
    await beats(1);
    await delay(2 * LIMIT_MS);
    await beats(1);
    expect(child.exitCode).toBeNull();
  });

  test('after it was stopped for three times the limit', async () => {
    start('nothing');
    await beats(1);
    child.kill('SIGSTOP');
    await delay(3 * LIMIT_MS);
    child.kill('SIGCONT');
    await beats(LIMIT_MS / 50 + 10);
    expect(child.exitCode).toBeNull();
  });
});

/** Only Linux says who waits for a processor. */
const onLinux = process.platform === 'linux' ? test : test.skip;

onLinux('a process that gets no processor lives on', async () => {
  start('work', '150');
  const ending = once(child, 'exit').then(() => 'killed');
  while (!lines.includes('ready')) await beats(1);
  setPriority(child.pid as number, constants.priority.PRIORITY_BELOW_NORMAL);
  const busy = Array.from({ length: 4 * availableParallelism() }, () => spawn('sh', ['-c', 'while :; do :; done']));
  try {
    child.kill('SIGUSR2');
    await delay(3 * LIMIT_MS);
  } finally {
    for (const one of busy) one.kill('SIGKILL');
  }
  expect(await Promise.race([beats(1), ending])).toBeUndefined();
});

test('the watch keeps no process from ending', async () => {
  start('end');
  expect(await ended()).toEqual([0, null]);
});
