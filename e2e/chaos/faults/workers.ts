import { setTimeout as delay } from 'node:timers/promises';
import type { Service } from '../../harness/service.ts';
import { statusOf, tookMs } from '../ledger.ts';
import { judgeAnswers, onSystem, type Scenario } from '../scenario.ts';
import { type System, until } from '../system.ts';

/** The lock of a job in work lasts 5 s; a stopped worker has lost it after that. */
const PAST_LOCK_MS = 7_000;
const UPSTREAM_MS = 1_500;
/** What the death of a worker may cost the answers that it was at work on, the call that is made again aside. */
const DEATH_MS = 3_000;

export const workerScenarios: readonly Scenario[] = [
  {
    name: 'worker-killed-in-call',
    about: 'SIGKILL of a worker in the middle of model calls; another one is there.',
    run: (context) =>
      onSystem(context, { workers: 2 }, async (system) => {
        const rounds = context.quick ? 1 : 5;
        const entries = [];
        for (let round = 0; round < rounds; round++) {
          system.behave((nonce) => system.answer(nonce, UPSTREAM_MS));
          const answers = Array.from({ length: 20 }, () => system.send());
          await delay(700);
          await killFirst(system);
          entries.push(...(await Promise.all(answers)));
          await system.stack.startWorker();
        }
        judgeAnswers(context.report, entries);
        const atMost = UPSTREAM_MS + DEATH_MS;
        context.report.timed('slowest answer', Math.max(...entries.map(tookMs)), { atMost });
      }),
  },
  ...(['before', 'after'] as const).map(
    (moment): Scenario => ({
      name: `worker-killed-${moment}-settling`,
      about: `SIGKILL of a worker whose settlement is on its way: Redis is asked ${moment === 'before' ? 'never' : 'once, and its reply is lost'}.`,
      run: (context) =>
        onSystem(context, { workers: 1 }, async (system) => {
          const entries = [];
          for (let round = 0; round < (context.quick ? 1 : 5); round++) {
            const killed = new Promise<void>((resolve) => {
              system.proxy.intercept((piece) => {
                if (!piece.includes('"outcome":"answered"')) return 'pass';
                system.proxy.intercept(() => 'pass');
                system.stack.workers.at(-1)?.process.kill('SIGKILL');
                resolve();
                return moment === 'before' ? 'swallow' : 'swallow reply';
              });
            });
            const answer = system.send();
            await killed;
            await system.stack.startWorker();
            entries.push(await answer);
          }
          judgeAnswers(context.report, entries);
          // Its successor has to be started, too.
          context.report.timed('slowest answer', Math.max(...entries.map(tookMs)), { atMost: 2 * DEATH_MS });
        }),
    }),
  ),
  {
    name: 'zombie-worker',
    about: 'SIGSTOP of a worker past its lock, then SIGCONT: it comes back as if nothing had happened.',
    run: (context) =>
      onSystem(context, { workers: 1 }, async (system) => {
        const [zombie] = system.stack.workers as [Service];
        let first = true;
        system.behave((nonce) => (first ? 'hang' : system.answer(nonce)));
        const answers = Array.from({ length: 5 }, () => system.send());
        const held = await Promise.all(answers.map(() => system.stack.upstream.nextCall()));
        first = false;
        zombie.process.kill('SIGSTOP');
        await Promise.all([system.stack.startWorker(), delay(PAST_LOCK_MS)]);
        const entries = await Promise.all(answers);
        const resumedAt = performance.now();
        zombie.process.kill('SIGCONT');
        await Promise.all(held.map(({ whenAborted }) => whenAborted));
        context.report.timed('zombie aborts after resuming within', performance.now() - resumedAt, { atMost: 1_000 });
        judgeAnswers(context.report, entries);
        context.report.timed('slowest answer', Math.max(...entries.map(tookMs)), { atMost: 10_000 });
        await until(
          () => [...system.ledger.calls.values()].every((calls) => calls.length === 2),
          1_000,
          'two calls each',
        );
        await Promise.all([system.send(), system.send()]);
      }),
  },
  {
    name: 'stalls',
    about: 'SIGSTOP of a gateway and of a worker for two seconds: event loops that stand still.',
    run: (context) =>
      onSystem(context, { workers: 1 }, async (system) => {
        system.behave((nonce) => system.answer(nonce, 200));
        const entries = [];
        for (const silent of [system.stack.workers[0], system.stack.gateways[0]] as Service[]) {
          const answers = Array.from({ length: 20 }, () => system.send());
          await delay(100);
          silent.process.kill('SIGSTOP');
          await delay(2_000);
          silent.process.kill('SIGCONT');
          entries.push(...(await Promise.all(answers)));
        }
        const bad = entries.filter((entry) => ![200, 503].includes(statusOf(entry)));
        context.report.fact('neither answered nor refused', bad.length, { atMost: 0 });
        context.report.timed('slowest answer', Math.max(...entries.map(tookMs)), { atMost: 10_000 });
      }),
  },
];

async function killFirst({ stack }: System): Promise<void> {
  await stack.workers.find(({ process }) => process.exitCode === null && process.signalCode === null)?.end('SIGKILL');
}
