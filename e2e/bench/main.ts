/**
 * `npm run bench`: measures the service side by side with what it is compared with, writes docs/performance.json, .md and
 * its pictures, and prints whether each budget holds. About half an hour on two cores. See docs/performance.md.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, totalmem } from 'node:os';
import { readOptions } from '@lontar/shared/testing/command-options.ts';
import { PORTKEY } from './portkey.ts';
import { machineLoad, stolenTime } from './processes/usage.ts';
import { findRegressions, judgeBudgets } from './report/budgets.ts';
import { drawThroughput } from './report/chart.ts';
import { drawPeers } from './report/peers.ts';
import { findUnsteady } from './report/steadiness.ts';
import { type EarlierRecord, withRecord } from './report/trend.ts';
import { budgetTable, throughputTable, writeReport } from './report/write-report.ts';
import type { Machine, Results } from './results.ts';
import { measureAlone } from './sections/alone.ts';
import { measureBesideLiteLlm } from './sections/beside-litellm.ts';
import { startUpstream, type Upstream } from './sections/contenders.ts';
import { measureDefaultSetUp } from './sections/default-set-up.ts';
import { measureGrowth } from './sections/growth.ts';
import { measureImage } from './sections/image.ts';
import { measureHeld, measureInFlight } from './sections/in-flight.ts';
import { measureQuickly } from './sections/quick.ts';
import { measureGateways, measureWorkers } from './sections/scaling.ts';
import { measureSideBySide } from './sections/side-by-side.ts';
import { measureSlowUpstream } from './sections/slow-upstream.ts';
import { measureStreams } from './sections/streams.ts';

const RECORD = new URL('../../docs/performance.json', import.meta.url);
/** Of each record what can be compared between machines. */
const HISTORY = new URL('../../docs/performance-history.json', import.meta.url);
const REPORT = new URL('../../docs/performance.md', import.meta.url);
const CHART = new URL('../../docs/performance.svg', import.meta.url);
const PEERS_CHART = new URL('../../docs/performance-peers.svg', import.meta.url);
const SECTIONS = [
  'throughput',
  'main',
  'commands',
  'open-loop',
  'workers',
  'gateways',
  'in-flight',
  'growth',
  'streams',
  'slow-upstream',
  'default-set-up',
  'alone',
  'litellm',
] as const;
type Section = (typeof SECTIONS)[number];

const options = readOptions({
  name: 'npm run bench --',
  about: 'Measures the service side by side with what it is compared with, and says whether budgets hold (30 minutes).',
  options: {
    quick: {
      type: 'flag',
      about:
        'what a request costs, times the last commit (3 minutes); with --only fewer and shorter rounds. Writes nothing',
    },
    only: {
      type: 'names',
      choices: SECTIONS,
      about: 'these sections alone; writes nothing, but that litellm alone writes its own table anew',
    },
    'without-portkey': { type: 'flag', about: 'where it cannot be installed' },
    'without-litellm': { type: 'flag', about: 'without LiteLLM, which pip has to fetch' },
    guard: { type: 'flag', about: 'ends with 1 where a ratio is worse by more than a quarter than the one on record' },
    force: { type: 'flag', about: 'puts a run on record though its rounds differ by more than 8 %, and says so there' },
    image: { type: 'text', value: 'NAME', about: 'an image of the services in the Docker engine, whose size is told' },
    report: { type: 'flag', about: 'measures nothing; writes page and chart again from the figures on record' },
    profile: { type: 'text', value: 'FOLDER', about: "keeps processor profiles of the service's processes there" },
  },
});
const rounds = options.quick ? 1 : 3;
const startedAt = performance.now();

function say(line: string): void {
  console.error(`[${((performance.now() - startedAt) / 1000).toFixed(0).padStart(4)} s] ${line}`);
}

function wants(section: Section): boolean {
  return options.only?.includes(section) ?? true;
}

function describeMachine(): Machine {
  return {
    cpu: cpus()[0]?.model ?? 'unknown',
    cores: availableParallelism(),
    memoryGigabytes: Math.round(totalmem() / 1e9),
    node: process.version,
    redis: /v=([\d.]+)/.exec(execFileSync('redis-server', ['--version'], { encoding: 'utf8' }))?.[1] ?? 'unknown',
    loadBefore: machineLoad(),
  };
}

async function measureEverything(): Promise<Results> {
  const machine = describeMachine();
  const before = stolenTime();
  const upstream = await startUpstream();
  const when = async <Value>(section: Section, measure: () => Promise<Value>, otherwise: Value): Promise<Value> => {
    if (!wants(section)) return otherwise;
    say(section);
    return measure();
  };
  try {
    const measured: Results = {
      madeAt: new Date().toISOString(),
      machine,
      comparedWith: options['without-portkey'] ? undefined : PORTKEY,
      ...(await measureSideBySide(upstream, {
        wants: {
          throughput: wants('throughput'),
          main: wants('main'),
          'open-loop': wants('open-loop'),
          commands: wants('commands'),
        },
        quick: options.quick,
        portkey: !options['without-portkey'],
        profileFolder: options.profile,
        say,
      })),
      workers: await when('workers', () => measureWorkers(upstream, Math.min(rounds, 2)), []),
      gateways: await when('gateways', () => measureGateways(upstream, rounds), []),
      inFlight: await when('in-flight', () => measureInFlight(upstream, [100, 1_000, 10_000]), []),
      heldAlone: await when('in-flight', () => measureHeld(10_000), undefined),
      growth: await when('growth', () => measureGrowth(upstream), []),
      streams: await when(
        'streams',
        () =>
          measureStreams(upstream, {
            quick: options.quick,
            profileFolder: options.profile,
            liteLlm: !options['without-litellm'],
          }),
        undefined,
      ),
      slowUpstream: await when('slow-upstream', () => measureSlowUpstream(upstream, options.quick), undefined),
      defaultSetUp: await when('default-set-up', () => measureDefaultSetUp(upstream, options.quick), undefined),
      image: options.image === undefined ? undefined : await measureImage(options.image),
      alone: await when('alone', measureAlone, undefined),
      besideLiteLlm: await when('litellm', () => measureLiteLlm(upstream), undefined),
    };
    const after = stolenTime();
    const stolenShare = (after.stolen - before.stolen) / (after.all - before.all);
    return { ...measured, machine: { ...machine, stolenShare } };
  } finally {
    await upstream.stop();
  }
}

async function measureLiteLlm(upstream: Upstream): Promise<Results['besideLiteLlm']> {
  if (options['without-litellm']) return undefined;
  return measureBesideLiteLlm(upstream, rounds, say, { portkey: !options['without-portkey'] });
}

// The processes that were started end with this one.
process.setMaxListeners(0);
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
if (options.quick && options.only === undefined) {
  for (const line of await measureQuickly()) console.log(line);
  process.exit(0);
}
if (options.profile) mkdirSync(options.profile, { recursive: true });
const onRecord = existsSync(RECORD) ? (JSON.parse(readFileSync(RECORD, 'utf8'), readNumbers) as Results) : undefined;
const results = options.report && onRecord ? onRecord : await measureEverything();
const unsteady = options.report ? [] : findUnsteady(results);
if (!options.quick && options.only === undefined && unsteady.length > 0 && !options.force) {
  console.log(throughputTable(results.throughput));
  for (const line of unsteady) console.log(`Not steady: ${line}.`);
  const { loadBefore, stolenShare = 0 } = results.machine;
  console.log(
    `Nothing was put on record: other work disturbs this machine (load before the run ${loadBefore.toFixed(2)}, ` +
      `${(stolenShare * 100).toFixed(1)} % of its time taken by its host). Try again when it is quiet, or use --force.`,
  );
  process.exitCode = 1;
} else if (!options.quick && options.only === undefined) {
  const besideLiteLlm = results.besideLiteLlm ?? onRecord?.besideLiteLlm;
  putOnRecord({ ...results, besideLiteLlm, ...(unsteady.length > 0 && { isForced: true }) });
} else if (options.only?.join() === 'litellm' && results.besideLiteLlm && onRecord && !options.quick) {
  console.log(throughputTable(results.besideLiteLlm.rows));
  putOnRecord({ ...onRecord, besideLiteLlm: results.besideLiteLlm }, { isNew: false });
} else {
  if (results.besideLiteLlm) console.log(throughputTable(results.besideLiteLlm.rows));
  console.log(`${throughputTable(results.throughput)}\n`);
  console.log(JSON.stringify({ ...results, throughput: undefined }, roundNumbers, 1));
}
console.log(budgetTable(judgeBudgets(results)));
const regressions = onRecord ? findRegressions(results, onRecord) : [];
for (const regression of regressions) console.log(`Worse than on record: ${regression}.`);
if (options.guard && regressions.length > 0) process.exitCode = 1;

/** @param how.isNew false where all but a part of it was on record before */
function putOnRecord(record: Results, how = { isNew: !options.report }): void {
  const earlier = existsSync(HISTORY) ? (JSON.parse(readFileSync(HISTORY, 'utf8')) as EarlierRecord[]) : [];
  const records = how.isNew ? withRecord(earlier, record) : earlier;
  if (how.isNew) writeFileSync(HISTORY, `${JSON.stringify(records, roundNumbers, 2)}\n`);
  writeFileSync(RECORD, `${JSON.stringify(record, roundNumbers, 2)}\n`);
  writeFileSync(REPORT, writeReport(record, records));
  writeFileSync(CHART, drawThroughput(record));
  writeFileSync(PEERS_CHART, drawPeers(record));
  say('docs/performance.json, performance-history.json, .md and the pictures are written');
}

/** Four digits hold all that can be measured; what is counted or was chosen stays. */
function roundNumbers(_name: string, value: unknown): unknown {
  return typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(4)) : value;
}

/** Figures of rounds without an answer are NaN, which JSON writes as null. */
function readNumbers(_name: string, value: unknown): unknown {
  return value === null ? Number.NaN : value;
}
