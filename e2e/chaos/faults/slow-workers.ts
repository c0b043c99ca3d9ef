import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { expandScript } from '@lontar/shared/expand-script.ts';
import { GENERATION_JOB } from '@lontar/shared/generation-job.ts';
import type { Service } from '../../harness/service.ts';
import { statusOf } from '../ledger.ts';
import type { Report } from '../report.ts';
import { onSystem, type Scenario, type ScenarioContext } from '../scenario.ts';
import type { System } from '../system.ts';

/** Jobs are taken back several times while their callers wait. */
const LONG_WAITS = { REQUEST_TIMEOUT_MS: '120000', MODEL_TIMEOUT_MS: '110000' };
/** Redis is silent for so long: workers take it for absent, but no lock ends by that. */
const SILENT_MS = 1_500;
const MOST_ROUNDS = 6;
/** What a worker sends when it asks whether a start may run. */
const ASKS = createHash('sha1')
  .update(expandScript(new URL('../../../shared/src/settlement/rejoin.lua', import.meta.url)))
  .digest('hex');

/** Workers that are judged lost while they are merely slow: whatever they do when they go on, the model costs money. */
export const slowWorkerScenarios: readonly Scenario[] = [
  {
    name: 'workers-slow',
    about:
      'Each worker that calls the model stands still, behind a Redis that was silent for a moment, and all go on at the end.',
    run: (context) => onSystem(context, { workers: 1, settings: LONG_WAITS }, (system) => standStill(context, system)),
  },
  {
    name: 'worker-overtaken',
    about: 'A worker stands still when it asks about a job that it has taken again, until another one has run the job.',
    run: (context) => onSystem(context, { workers: 1, settings: LONG_WAITS }, (system) => overtake(context, system)),
  },
];

async function standStill({ report }: ScenarioContext, system: System): Promise<void> {
  const { stack, proxy } = system;
  system.behave(() => 'hang');
  const answer = system.send();
  const answered = answer.then(() => 'answered' as const);
  for (let round = 0; round < MOST_ROUNDS; round++) {
    if ((await Promise.race([stack.upstream.nextCall(), answered])) === 'answered') break;
    const slow = stack.workers.at(-1) as Service;
    await stack.startWorker();
    proxy.mode('hold');
    await delay(SILENT_MS);
    proxy.mode('pass');
    slow.process.kill('SIGSTOP');
  }
  system.behave((nonce) => system.answer(nonce));
  for (const { process } of stack.workers) process.kill('SIGCONT');
  report.fact('status of the answer', statusOf(await answer));
  judgeCalls(system, report);
}

async function overtake({ report }: ScenarioContext, system: System): Promise<void> {
  const { stack } = system;
  system.behave(() => 'hang');
  const answer = system.send();
  const [first] = stack.workers as [Service];
  await stack.upstream.nextCall();
  const slow = await stack.startWorker();
  const stopped = untilAsked(system, () => {
    slow.process.kill('SIGSTOP');
    return 'cut before';
  });
  await first.end('SIGKILL');
  await stopped;
  const second = await stack.startWorker();
  await stack.upstream.nextCall();

  const askedAgain = untilAsked(system, () => 'pass');
  slow.process.kill('SIGCONT');
  await askedAgain;
  // Were it let run, its call would be on its way now.
  await Promise.race([stack.upstream.nextCall(), delay(1_000)]);
  await slow.end('SIGTERM');
  system.behave((nonce) => system.answer(nonce));
  await stack.startWorker();
  await second.end('SIGKILL');
  report.fact('status of the answer', statusOf(await answer), { atLeast: 200, atMost: 200 });
  judgeCalls(system, report);
}

/** Resolves when a worker asks about a start; what it asks is then passed on, or not. */
function untilAsked({ proxy }: System, judge: () => 'pass' | 'cut before'): Promise<void> {
  return new Promise((resolve) => {
    proxy.intercept((piece) => {
      if (!piece.includes(ASKS)) return 'pass';
      proxy.intercept(() => 'pass');
      resolve();
      return judge();
    });
  });
}

function judgeCalls({ ledger }: System, report: Report): void {
  const calls = [...ledger.calls.values()].map(({ length }) => length);
  report.fact('most model calls of one request', Math.max(...calls), { atMost: GENERATION_JOB.deathsAtMost });
}
