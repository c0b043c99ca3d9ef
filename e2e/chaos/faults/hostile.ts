import { loadFor } from '../../harness/load.ts';
import type { Service } from '../../harness/service.ts';
import { type AttackTarget, startAttack } from '../hostile/attack.ts';
import { answerToAttacker, streamOf } from '../hostile/attacker-streams.ts';
import { ATTACKER, ATTACKS, type Attack } from '../hostile/attacks.ts';
import { memoryMb, trackedPercent } from '../hostile/machine.ts';
import { type LedgerEntry, statusOf, tookMs } from '../ledger.ts';
import { percentile } from '../report.ts';
import { onSystem, type Scenario, type ScenarioContext } from '../scenario.ts';
import type { System } from '../system.ts';

const HONEST_PER_SECOND = 20;

/** Attacks of callers with a key, of callers without one and of web pages, beside honest load. */
export const hostileScenarios: readonly Scenario[] = ATTACKS.map((attack) => ({
  name: nameOf(attack),
  about: attack.about,
  run: (context) => onSystem(context, { ...attack.options }, (system) => attackBeside(context, system, attack)),
}));

function nameOf({ name, clients, addresses }: Attack): string {
  const variant = addresses === undefined ? '' : '-of-many';
  return `hostile-${name}${clients === 500 ? '-500' : variant}`.replace('hostile-hostile', 'hostile');
}

async function attackBeside(context: ScenarioContext, system: System, attack: Attack): Promise<void> {
  const { report, quick } = context;
  const seconds = quick ? 5 : 60;
  // The model repeats a hostile prompt, so that the answer is as hard to mask as the prompt is.
  system.behave((nonce, words) => (nonce === '' ? answerToAttacker(words) : system.answer(nonce)));
  const gateway = system.stack.gateways[0] as Service;
  const honest = (duration: number) => loadFor(duration, HONEST_PER_SECOND, () => system.send());
  await honest(quick ? 1 : 5);
  const alone = await honest(quick ? 3 : 15);
  const [memoryBefore, linesBefore] = [await memoryMb(gateway), refusedLines(gateway)];
  const running = startAttack(attack.name, await targetOf(system, attack));
  await running.begun;
  const watch = watchHealth(system);
  let memoryMost = 0;
  const memoryTimer = setInterval(() => {
    void memoryMb(gateway).then((memory) => {
      memoryMost = Math.max(memoryMost, memory);
    });
  }, 250);
  const beside = await honest(seconds);
  clearInterval(memoryTimer);
  const slowestHealthMs = await watch.stop();
  const tally = await running.end();
  const { strangers } = system.ledger;
  if (attack.generates === true) strangers.answered += sum(Object.values(tally.statuses));
  // A connection that was cut, or was open at the end, may have been answered all the same.
  strangers.unseen += tally.broken + attack.clients;

  report.fact('answers to the attacker', sum(Object.values(tally.statuses)));
  for (const [status, count] of Object.entries(tally.statuses)) report.fact(`of them ${status}`, count);
  report.fact('connections of the attacker that were cut', tally.broken);
  const failed = beside.filter((entry) => statusOf(entry) !== 200);
  report.fact('honest requests', beside.length);
  report.fact('honest requests that failed', failed.length, { atMost: 0 });
  for (const [cause, those] of Map.groupBy(failed, causeOf)) report.fact(`of them ${cause}`, those.length);
  report.timed('p99 of honest callers alone', p99(alone));
  report.timed('p99 added', p99(beside) - p99(alone), { atMost: 500 });
  if (system.stack.stats) report.timed('slowest /api/health', slowestHealthMs, { atMost: 1_000 });
  report.fact(
    'share of the connections that this machine can track (a firewall of Linux), percent',
    await trackedPercent(),
    {
      atMost: 95,
    },
  );
  const bound = attack.growthMb === undefined ? undefined : { atMost: attack.growthMb };
  report.timed('growth of the gateway', Math.max(0, memoryMost - memoryBefore), bound, 'MB');
  await attack.check?.({ system, tally, seconds, refusedLines: refusedLines(gateway) - linesBefore }, context);
}

async function targetOf({ stack, ledger }: System, attack: Attack): Promise<AttackTarget> {
  const { withKey, clients, addresses } = attack;
  const { hostname: host, port } = new URL(stack.url);
  const from = Array.from({ length: addresses ?? 1 }, (_, index) => ATTACKER.replace('.0.66', `.${index}.66`));
  const target = { host, port: Number(port), from, clients };
  if (withKey !== true) return target;
  const { id, key } = await stack.createKey('--name', 'attacker', '--concurrency', '100');
  ledger.strangers.keyIds.push(id);
  if (attack.streamed === undefined) return { ...target, key };
  ledger.strangers.answered++;
  return { ...target, key, completionId: await streamOf(stack.url, key, attack.streamed) };
}

/** Asks for health twice a second; the slowest answer, or a refusal, is what counts. */
function watchHealth({ stack }: System) {
  let slowestMs = 0;
  let goesOn = stack.stats !== undefined;
  const watch = (async () => {
    while (goesOn) {
      const startedAt = performance.now();
      const { ok } = await fetch(new URL('/api/health', stack.url)).catch(() => ({ ok: false }));
      slowestMs = Math.max(slowestMs, ok ? performance.now() - startedAt : Number.POSITIVE_INFINITY);
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
  })();
  return {
    async stop() {
      goesOn = false;
      await watch;
      return slowestMs;
    },
  };
}

function refusedLines(gateway: Service): number {
  return gateway
    .logs()
    .split('\n')
    .filter((line) => /"status":(?:401|403|429|503)/.test(line)).length;
}

/** How an honest request failed, so that a machine that is too busy can be told from an attack that came through. */
function causeOf({ end }: LedgerEntry): string {
  return end?.kind === 'answered' ? `${end.status} ${end.text.slice(0, 120)}` : (end?.kind ?? 'open');
}

function p99(entries: readonly LedgerEntry[]): number {
  return percentile(entries.filter((entry) => statusOf(entry) === 200).map(tookMs), 0.99);
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
