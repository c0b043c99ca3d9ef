import { existsSync, readdirSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startLoad } from '../../harness/load.ts';
import { tookMs } from '../ledger.ts';
import { judgeAnswers, onSystem, type Scenario, type ScenarioContext } from '../scenario.ts';
import type { System } from '../system.ts';

const JUMPS = ['+3600', '+0', '-3600', '+0'];

/** The library of the Debian package libfaketime, which lies in a folder of the processor's name. */
function findLibrary(): string | undefined {
  if (!existsSync('/usr/lib')) return undefined;
  return readdirSync('/usr/lib')
    .map((folder) => join('/usr/lib', folder, 'faketime', 'libfaketime.so.1'))
    .find((path) => existsSync(path));
}

export const clockScenarios: readonly Scenario[] = (['worker', 'gateway'] as const).map((service) => ({
  name: `${service}-clock-jumps`,
  about: `The clock of one ${service} jumps an hour ahead, back, behind and back, while the others keep theirs.`,
  missing: () => (findLibrary() === undefined ? 'libfaketime is not here (Debian package faketime)' : undefined),
  run: (context) =>
    onSystem(
      context,
      { gateways: service === 'gateway' ? 0 : 1, workers: service === 'worker' ? 1 : 2, stats: true },
      (system) => jumpAbout(context, system, service),
    ),
}));

async function jumpAbout({ report, quick }: ScenarioContext, system: System, service: 'worker' | 'gateway') {
  const { stack } = system;
  const folder = await mkdtemp(join(tmpdir(), 'lontar-clock-'));
  const clock = join(folder, 'offset');
  await writeFile(clock, '+0');
  const settings = {
    LD_PRELOAD: findLibrary() ?? '',
    FAKETIME_TIMESTAMP_FILE: clock,
    FAKETIME_NO_CACHE: '1',
    // A clock that is set does not touch the time since the start, by which timers go.
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
    DONT_FAKE_MONOTONIC: '1',
  };
  await (service === 'worker' ? stack.startWorker({ settings }) : stack.startGateway({ settings }));
  // Every third request fails at first, so that waits between attempts are among what the clock could spoil.
  system.behave((nonce) => {
    const isFirst = system.ledger.calls.get(nonce)?.length === 1;
    return isFirst && /[0369cfilorux]$/.test(nonce) ? { kind: 'status', status: 503 } : system.answer(nonce, 300);
  });
  const load = startLoad({ perSecond: 20 }, () => system.send());
  for (const jump of JUMPS) {
    await delay(quick ? 1_500 : 8_000);
    await writeFile(clock, jump);
  }
  await delay(quick ? 1_500 : 8_000);
  const entries = await load.stop();
  await rm(folder, { recursive: true, force: true });
  // In a short run the other worker may have all that is worth a line.
  report.fact('log lines that show the jump', linesOfAnotherHour(system, service), quick ? undefined : { atLeast: 1 });
  judgeAnswers(report, entries);
  report.timed('slowest', Math.max(...entries.map(tookMs)), { atMost: 10_000 });
}

/** Proof that the clock did jump. */
function linesOfAnotherHour({ stack }: System, service: 'worker' | 'gateway'): number {
  return (service === 'worker' ? stack.workers : stack.gateways)
    .flatMap((gateway) => gateway.logs().split('\n'))
    .map((line) => Math.abs(Date.parse(/"time":"([^"]+)"/.exec(line)?.[1] ?? '') - Date.now()))
    .filter((distance) => distance > 1_800_000).length;
}
