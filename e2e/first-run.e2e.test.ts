import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { eventually } from './harness/eventually.ts';
import { isAlive, type Launched, newHome, npmStart, runningIn } from './harness/npm-start.ts';

jest.setTimeout(120_000);

const READY = /Ctrl-C stops everything/;
const KEY = /lt_live_\w+/;

let home: string;
let port: number;
let launched: Launched[];

beforeEach(async () => {
  ({ home, port } = await newHome());
  launched = [];
});
afterEach(async () => {
  for (const { process: child, ended } of launched) {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM');
    await ended;
  }
  rmSync(home, { recursive: true, force: true });
});

function start(environment: Record<string, string> = {}, args: readonly string[] = []): Launched {
  const one = npmStart({ LONTAR_HOME: home, PORT: String(port), ...environment }, args);
  launched.push(one);
  return one;
}

async function stop(one: Launched, signal: NodeJS.Signals = 'SIGINT'): Promise<number | null> {
  one.process.kill(signal);
  return one.ended;
}

/** Runs the line that the operator shall paste. */
function paste(said: string): { status: boolean; result: string; metadata: { remaining_requests: number } } {
  const [line = ''] = /curl -G .*/.exec(said) ?? [];
  return JSON.parse(execFileSync('sh', ['-c', `${line} -sS`], { encoding: 'utf8' }));
}

function secrets(): Record<string, string> {
  const folder = join(home, 'secrets');
  return Object.fromEntries(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')]));
}

function modeOf(path: string): string {
  return (statSync(path).mode & 0o777).toString(8);
}

describe('the first run', () => {
  test('ends with a service that answers the pasted line, keeps its secrets, and leaves nothing when stopped', async () => {
    const first = start();
    await first.says(READY);
    const pids = runningIn(home);
    expect([...pids.keys()].sort()).toEqual(['gateway-1', 'launcher', 'redis', 'stats-service', 'worker-1']);

    const answer = paste(first.said());
    expect(answer).toMatchObject({ status: true, result: expect.stringMatching(/\S/) });
    // The launcher's own test request must not have used up the caller's hour.
    expect(answer.metadata.remaining_requests).toBe(99);
    expect(first.said()).toContain('DEMO');
    expect(first.said()).toMatch(/Test request: answered in \d+ ms/);

    const [key = ''] = KEY.exec(first.said()) ?? [];
    expect(modeOf(home)).toBe('700');
    for (const name of Object.keys(secrets())) expect(modeOf(join(home, 'secrets', name))).toBe('600');
    expect(modeOf(join(home, 'run', 'endpoint.json'))).toBe('600');

    expect(await stop(first)).toBe(0);
    for (const pid of pids.values()) expect(isAlive(pid)).toBe(false);
    expect(readdirSync(join(home, 'run'))).toEqual([]);

    const kept = secrets();
    const second = start();
    await second.says(READY);
    expect(secrets()).toEqual(kept);
    expect(second.said()).not.toMatch(KEY);
    expect(second.said()).toContain('YOUR_KEY');
    expect(paste(second.said().replace('YOUR_KEY', key))).toMatchObject({ status: true });
    expect(await stop(second, 'SIGTERM')).toBe(0);
  });

  test('a sign-in link works once', async () => {
    const one = start();
    await one.says(READY);
    const [link = ''] = /http:\S+\?code=\S+/.exec(one.said()) ?? [];
    // On a machine with much else to do the statistics may answer late, which is 503: the operator tries again.
    let status = 503;
    await eventually(async () => {
      ({ status } = await fetch(link, { redirect: 'manual' }));
      return status !== 503;
    });
    expect(status).toBeLessThan(400);
  });
});

describe('supervision', () => {
  test('a killed worker and a killed Redis are started again, and it is said', async () => {
    const one = start({}, ['--workers', '2', '--gateways', '2']);
    await one.says(READY);
    expect(one.said()).toContain(`http://127.0.0.1:${port}`);
    expect([...runningIn(home).keys()]).toEqual(expect.arrayContaining(['gateway-2', 'worker-2']));

    for (const name of ['worker-1', 'redis']) {
      const before = one.said().length;
      const pid = runningIn(home).get(name)!;
      process.kill(pid, 'SIGKILL');
      await one.says(new RegExp(`${name} ended \\(SIGKILL\\)`), before);
      await one.says(new RegExp(`${name} runs again`), before);
      expect(runningIn(home).get(name)).not.toBe(pid);
    }
    expect(await stop(one)).toBe(0);
  });

  test('logs that grow are rotated while all runs: five files of 10 MB each, whichever process writes them', async () => {
    const one = start();
    await one.says(READY);
    const folder = join(home, 'logs');
    const names = ['gateway-1', 'redis', 'stats-service', 'worker-1'].map((name) => `${name}.log`);
    const line = `${'x'.repeat(1_023)}\n`;
    for (let round = 1; round <= 6; round++) {
      for (const name of names) appendFileSync(join(folder, name), line.repeat(10 * 1_024), { mode: 0o600 });
      const isShort = (name: string) => !existsSync(join(folder, name)) || statSync(join(folder, name)).size < 1e6;
      await eventually(async () => names.every(isShort));
    }
    await stop(one);
    expect(readdirSync(folder).toSorted()).toEqual(
      names.flatMap((name) => [name, ...[1, 2, 3, 4].map((number) => `${name}.${number}`)]),
    );
    // They were written on: each of them says that it stops.
    for (const name of names) expect(readFileSync(join(folder, name), 'utf8')).toMatch(/"stopped"|bye bye/);
  });

  test('a second start beside the first is refused and leaves it alone', async () => {
    const one = start();
    await one.says(READY);
    const other = start();
    expect(await other.ended).toBe(1);
    expect(other.said()).toContain('already runs');
    expect(paste(one.said())).toMatchObject({ status: true });
  });

  test('what a killed launcher leaves is cleared by the next start', async () => {
    const one = start();
    await one.says(READY);
    const pids = runningIn(home);
    process.kill(pids.get('launcher')!, 'SIGKILL');
    await one.ended;
    const next = start();
    await next.says(READY);
    for (const pid of pids.values()) expect(isAlive(pid)).toBe(false);
    expect(await stop(next)).toBe(0);
  });
});

describe('what cannot be started', () => {
  test('bad settings: all problems at once, exit code 2, nothing created', async () => {
    const one = start({ PORT: 'abc', REDIS_URL: '', WORKER_CONCURRENCY: '0' });
    expect(await one.ended).toBe(2);
    for (const name of ['PORT', 'REDIS_URL', 'WORKER_CONCURRENCY']) expect(one.said()).toContain(`- ${name} `);
    expect(readdirSync(home)).toEqual([]);
  });

  test('an unknown option: exit code 2', async () => {
    const one = start({}, ['--wrokers', '2']);
    expect(await one.ended).toBe(2);
    expect(one.said()).toContain('--wrokers');
  });

  test('a Redis that is not there: says where it looked, without the password', async () => {
    const one = start({ REDIS_URL: 'redis://:hidden-word@127.0.0.1:1' });
    expect(await one.ended).toBe(4);
    expect(one.said()).toContain('127.0.0.1:1');
    expect(one.said()).not.toContain('hidden-word');
    expect(runningIn(home).size).toBe(0);
  });

  test('a taken port: names it and what to do', async () => {
    const taken = createServer().listen(port, '127.0.0.1');
    await once(taken, 'listening');
    const one = start();
    expect(await one.ended).toBe(1);
    expect(one.said()).toContain(`Port ${port} on 127.0.0.1 is taken`);
    expect(runningIn(home).size).toBe(0);
    taken.close();
  });
});
