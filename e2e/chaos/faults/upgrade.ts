import { execFileSync } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { cpSync, existsSync, mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../harness/launch.ts';
import type { Service } from '../../harness/service.ts';
import type { LedgerEntry } from '../ledger.ts';
import { judgeAnswers, onSystem, type Scenario, type ScenarioContext } from '../scenario.ts';
import type { System } from '../system.ts';

const CALLERS = 20;
const OF_EACH = 2;
/** Answers between two steps of the deploy. */
const BETWEEN = { quick: 40, long: 400 };

/** A rolling deploy over the version before, under load, in both orders. */
export const upgradeScenarios: readonly Scenario[] = (['workers', 'gateways'] as const).map((first) => ({
  name: `upgrade-${first}-first`,
  about: `The version before (BEFORE, a checkout or a commit; else the last tag) gives way to this one under load, ${first} first.`,
  missing: () => (versionBefore() === undefined ? 'there is no tag; name the version before by BEFORE' : undefined),
  run: (context) =>
    onSystem(context, { gateways: 0, workers: 0 }, (system) =>
      upgrade(context, system, first, checkout(versionBefore() ?? '')),
    ),
}));

async function upgrade(
  { quick, report }: ScenarioContext,
  system: System,
  first: 'workers' | 'gateways',
  folder: string,
): Promise<void> {
  const { stack } = system;
  const serving: string[] = [];
  for (let index = 0; index < OF_EACH; index++) {
    serving.push(await stack.startGateway({ folder }));
    await stack.startWorker({ folder });
  }
  system.behave((nonce) => system.answer(nonce, 50));
  const load = startLoad(system, serving);
  const more = () => load.until(load.entries.length + BETWEEN[quick ? 'quick' : 'long']);
  await more();
  for (const what of first === 'workers' ? (['workers', 'gateways'] as const) : (['gateways', 'workers'] as const)) {
    for (let index = 0; index < OF_EACH; index++) {
      if (what === 'workers') await stack.startWorker();
      else serving.push(await stack.startGateway());
      await more();
      // A balancer sends nothing more to a gateway that is about to stop.
      if (what === 'gateways') serving.shift();
      await (stack[what][index] as Service).end('SIGTERM');
      await more();
    }
  }
  await load.stop();
  judgeAnswers(report, load.entries);
  report.fact('answers under the deploy', load.entries.length, { atLeast: BETWEEN.quick });
}

function startLoad(system: System, serving: readonly string[]) {
  const entries: LedgerEntry[] = [];
  const answered = new EventEmitter();
  let isOver = false;
  let turn = 0;
  const send = async () => {
    while (!isOver) {
      entries.push(await system.send({ url: serving[turn++ % serving.length] ?? '' }));
      answered.emit('one');
    }
  };
  const callers = Array.from({ length: CALLERS }, send);
  return {
    entries,
    // Redis is reached through this process: to look all the time would hold up what is looked at.
    async until(count: number): Promise<void> {
      while (entries.length < count) await once(answered, 'one');
    },
    async stop(): Promise<void> {
      isOver = true;
      await Promise.all(callers);
    },
  };
}

function versionBefore(): string | undefined {
  const named = process.env['BEFORE'];
  if (named) return named;
  try {
    return git('describe', '--tags', '--abbrev=0').trim();
  } catch {
    return undefined;
  }
}

/** @returns a folder with that version and this one's packages; a folder is taken as it is */
function checkout(version: string): string {
  if (existsSync(version) && statSync(version).isDirectory()) return version;
  const folder = join(ROOT, '.lontar', `before-${git('rev-parse', '--short', version).trim()}`);
  if (existsSync(join(folder, 'node_modules'))) return folder;
  mkdirSync(folder, { recursive: true });
  const archive = execFileSync('git', ['archive', version], { cwd: ROOT, maxBuffer: 1024 ** 3 });
  execFileSync('tar', ['x', '-C', folder], { input: archive });
  cpSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'), { recursive: true, verbatimSymlinks: true });
  return folder;
}

function git(...args: string[]): string {
  return execFileSync('git', args, { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
}
