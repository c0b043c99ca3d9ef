import type { GrowthRow, InFlightRow, Results, ThroughputRow } from '../results.ts';
import { CONTENDERS, type ContenderName } from '../sections/contenders.ts';
import { aloneSection } from './alone-section.ts';
import { type Budget, judgeBudgets } from './budgets.ts';
import { defaultSetUpSection } from './default-set-up-section.ts';
import { liteLlmSection, liteLlmSentence } from './litellm-section.ts';
import { streamsSection } from './streams-section.ts';
import { type EarlierRecord, trendRows } from './trend.ts';

/** The whole of `docs/performance.md`, written from the results alone. */
export function writeReport(results: Results, records: readonly EarlierRecord[] = []): string {
  const { machine, madeAt } = results;
  return [
    '<!-- Written by "npm run bench" from docs/performance.json; run it again, do not edit. -->',
    '# Performance',
    ...meaningSection(results),
    `Measured by \`npm run bench\` on ${madeAt.slice(0, 10)}: ${machine.cpu}, ${machine.cores} cores, ` +
      `${machine.memoryGigabytes} GB, Node ${machine.node}, Redis ${machine.redis}; load before the run ` +
      `${machine.loadBefore.toFixed(2)}${machine.stolenShare === undefined ? '' : `, ${(machine.stolenShare * 100).toFixed(1)} % of its time taken by its host`}${results.isForced ? '; rounds differed by more than 8 %, and the record was written all the same (`--force`)' : ''}. Load generator, mock upstream, Redis and all services share these cores, so ` +
      'throughput is what is left of them, and only figures of the same run can be compared. Each is the median of ' +
      `rounds in which each contender has a turn${startsOf(results)}.`,
    '![Requests per second](performance.svg)',
    'What was changed because of these figures, and what is left: [performance-notes.md](performance-notes.md).',
    '## Budgets',
    budgetTable(judgeBudgets(results)),
    '## Side by side',
    'Lontar with everything on: authentication, limits, queue, masking, settlement, events, statistics, a log line for ' +
      'each request, and a Redis that writes its append-only file. ' +
      (results.comparedWith
        ? `Portkey is \`${results.comparedWith}\` as it comes: it passes requests through.`
        : 'Portkey was left out of this run.') +
      ' "CPU" is processor time per answered request; "upstream itself" is the mock upstream called directly.',
    ...cases(results.throughput).map((rows) => `### ${describeCase(rows[0]!)}\n\n${throughputTable(rows)}`),
    ...liteLlmSection(throughputTable, results),
    '## Where the time goes',
    'Processor time per request of each process and its memory, 100 connections, answers of 2 KB at once. Redis rewrites its ' +
      'append-only file in a process of its own, from time to time: of that the mean, for all who write to one Redis together.',
    processTable(results.throughput),
    ...commandsSection(results),
    '## Scaling',
    ...scalingSection(results),
    '## Streams',
    ...streamsSection(table, results),
    '## A slow upstream',
    ...slowUpstreamSection(results),
    '## A default set-up, and others',
    ...defaultSetUpSection(table, results),
    '## Alone',
    ...aloneSection(table, results),
    '## Records',
    'Earlier records of this page, by what can be compared between machines: cost and throughput at 100 connections with answers of 2 KB, times Portkey.',
    table(
      ['date', 'processor', 'cost', 'throughput', 'of the bare loop', 'added p50', 'Redis commands'],
      trendRows(records),
    ),
    '',
  ].join('\n\n');
}

/** What a reader wants to know before any table. */
function meaningSection(results: Results): string[] {
  const { throughput, slowUpstream } = results;
  const main = throughput.find(
    (row) => row.contender === 'service' && row.connections === 100 && row.delayMs === 0 && row.bytes === 2_048,
  );
  if (main === undefined) return [];
  const perSecond = Math.round(main.perSecond);
  const millionsADay = Math.round((perSecond * 86_400) / 1e6);
  return [
    `**What this means.** One gateway and one worker on this machine, with everything switched on, answer about ${perSecond.toLocaleString('en-US')} requests ` +
      `a second (${millionsADay} million a day), although the load generator and the upstream use the same cores. A model is ` +
      'nearly always slower than that. In the tables each row is one program with a number of connections. Each ' +
      'connection sends its next request as soon as it has the answer to the last one. With an upstream that takes 200 ms ' +
      'the number of places decides, not the speed of the program: a worker makes at most `WORKER_CONCURRENCY` calls ' +
      'at once. With 50 places that is 250 requests a second, and 5,000 with the default of 1,000 places. Other requests wait in the queue.' +
      (slowUpstream === undefined
        ? ' In this run the rows "after 200 ms" were measured with 50 places. If a row stays near 250 with more connections, ' +
          'its requests waited for a place.'
        : ''),
    `${liteLlmSentence(results)} How many gateways and workers you need: [operating](operating.md#how-much-do-you-need).`,
  ];
}

export function budgetTable(budgets: readonly Budget[]): string {
  const verdict = ({ holds }: Budget) => (holds === undefined ? '' : holds ? 'holds' : '**does not hold**');
  return table(
    ['budget', 'wanted', 'measured', '', 'what it means'],
    budgets.map((budget) => [budget.name, budget.wanted, budget.measured, verdict(budget), budget.meaning]),
  );
}

function cases(rows: readonly ThroughputRow[]): ThroughputRow[][] {
  const groups = Map.groupBy(rows, ({ bytes, delayMs }) => `${bytes} ${delayMs}`);
  return [...groups.values()];
}

function describeCase({ bytes, delayMs }: ThroughputRow): string {
  return `Answers of ${Math.round(bytes / 1024)} KB, ${delayMs === 0 ? 'at once' : `after ${delayMs} ms`}`;
}

/** V8 makes other code of a program each time it starts: the page says how much that is. */
function startsOf({ throughput }: Results): string {
  const spreads = throughput.flatMap(({ startSpread }) => startSpread ?? []);
  if (spreads.length === 0) return '';
  const most = `${(Math.max(...spreads) * 100).toFixed(0)} %`;
  return `; what budgets are judged by is the median of several starts of all programs, which differ by up to ${most} from it`;
}

export function throughputTable(rows: readonly ThroughputRow[]): string {
  const sorted = rows.toSorted((a, b) => a.connections - b.connections);
  return table(
    ['connections', 'who', 'requests/s', 'p50 ms', 'p99 ms', 'CPU µs', 'not answered'],
    sorted.map((row) => [
      String(row.connections),
      CONTENDERS[row.contender as ContenderName],
      row.perSecond.toFixed(row.perSecond < 100 ? 1 : 0),
      latency(row.p50, 2),
      latency(row.p99, 1),
      ownCpu(row).toFixed(0),
      String(row.failed),
    ]),
  );
}

/** Where no request of a round was answered there is no latency. */
function latency(ms: number, digits: number): string {
  return Number.isNaN(ms) ? 'none' : ms.toFixed(digits);
}

/** Of everything that answers, without the mock upstream and the load generator. */
function ownCpu({ cpuMicros, contender }: ThroughputRow): number {
  const others = contender === 'direct' ? ['load'] : ['load', 'upstream'];
  return Object.entries(cpuMicros).reduce((sum, [name, micros]) => (others.includes(name) ? sum : sum + micros), 0);
}

function processTable(rows: readonly ThroughputRow[]): string {
  const main = rows.filter(
    ({ connections, delayMs, bytes }) => connections === 100 && delayMs === 0 && bytes === 2_048,
  );
  return table(
    ['who', 'process', 'CPU µs', 'memory MB'],
    main.flatMap(({ contender, cpuMicros, residentBytes }) =>
      Object.entries(cpuMicros).map(([name, micros]) => [
        CONTENDERS[contender as ContenderName],
        name,
        micros.toFixed(0),
        ((residentBytes[name] ?? 0) / 1e6).toFixed(0),
      ]),
    ),
  );
}

function commandsSection({ commands }: Results): string[] {
  if (commands.length === 0) return [];
  const rows = commands.map(({ connections, sent, byName }) => [
    String(connections),
    sent.toFixed(2),
    Object.entries(byName)
      .map(([name, count]) => `${name} ${count.toFixed(2)}`)
      .join(', '),
  ]);
  return [
    'Commands that all processes together send to Redis per request:',
    table(['connections', 'sent', 'of them'], rows),
  ];
}

function scalingSection({ workers, gateways, inFlight, heldAlone, growth }: Results): string[] {
  const sections: string[] = [];
  const first = workers[0]?.perSecond ?? Number.NaN;
  if (workers.length > 0) {
    const rows = workers.map(({ workers: count, perSecond }) => [
      String(count),
      perSecond.toFixed(1),
      `${(perSecond / first).toFixed(2)} ×`,
    ]);
    sections.push('Workers with `WORKER_CONCURRENCY=10` before an upstream that takes 200 ms:');
    sections.push(table(['workers', 'requests/s', 'of one'], rows));
  }
  if (gateways.length > 0) {
    const rows = gateways.map(({ gateways: count, perSecond, gatewayCpuMicros }) => [
      String(count),
      perSecond.toFixed(0),
      gatewayCpuMicros.toFixed(0),
    ]);
    sections.push('Gateways, with all processes on the same cores: what a second one costs, not what it adds.');
    sections.push(table(['gateways', 'requests/s', 'CPU µs of gateways'], rows));
  }
  if (inFlight.length > 0) {
    sections.push(
      'Requests in flight on one gateway, before an upstream that takes 10 s; growth of resident memory at its peak:',
    );
    sections.push(inFlightTable(inFlight));
    if (heldAlone) {
      const [http, express] = [heldAlone.http, heldAlone.express].map((bytes) => (bytes / 1024).toFixed(1));
      sections.push(
        `Of these, ${http} KB is what Node's own HTTP server takes for a request that it only holds, and ${express} KB an ` +
          'Express application with one route: socket, parser, request, response, and the room that V8 leaves itself.',
      );
    }
  }
  if (growth.length > 0) {
    sections.push(
      'Cost of a request as keys and addresses with a live hour become many (10 connections, 2,000 of both in use):',
    );
    sections.push(growthTable(growth));
  }
  return sections;
}

function slowUpstreamSection({ slowUpstream }: Results): string[] {
  if (slowUpstream === undefined) return ['Not measured in this run.'];
  const { burst, openLoop } = slowUpstream;
  const { offeredPerSecond, seconds, upstreamMs, answered, failed, p50, p99 } = openLoop;
  const inSeconds = (ms: number) => `${(ms / 1_000).toFixed(2)} s`;
  return [
    `A default set-up with one worker. ${burst.callers} callers at once before an upstream that takes 10 s: ${burst.answered} ` +
      `answered, the last after ${burst.seconds.toFixed(2)} s; the worker had ${burst.workerMegabytes.toFixed(0)} MB at most.`,
    `The test that [Bifrost's makers publish](https://dev.to/debmckinney/we-benchmarked-5-llm-gateways-at-5000-rps-heres-what-broke-28f3) for machines of two cores: ` +
      `${offeredPerSecond} requests a second for ${seconds} s, whatever becomes of those before, and an upstream of ` +
      `${upstreamMs / 1_000} s. Here load, upstream and Redis share the two cores; latency counts from when a request was due. ` +
      'The figures of the others are theirs, on machines of their own.',
    table(
      ['', 'requests/s', 'not answered', 'p50', 'p99'],
      [
        ['Lontar', (answered / seconds).toFixed(0), String(failed), inSeconds(p50), inSeconds(p99)],
        ['Bifrost, as published', '424', '', '', '1.68 s'],
        ['LiteLLM, as published there', '45', '', '', '91 s'],
      ],
    ),
  ];
}

function inFlightTable(rows: readonly InFlightRow[]): string {
  const kilobytes = (bytes: number) => (bytes / 1024).toFixed(1);
  return table(
    ['in flight', 'answered', 'all in s', 'gateway KB each', 'worker KB each', 'Redis KB each'],
    rows.map((row) => [
      String(row.inFlight),
      String(row.answered),
      row.seconds.toFixed(1),
      kilobytes(row.gatewayBytes),
      kilobytes(row.workerBytes),
      kilobytes(row.redisBytes),
    ]),
  );
}

function growthTable(rows: readonly GrowthRow[]): string {
  return table(
    ['keys', 'addresses', 'Redis MB', 'p50 ms', 'p99 ms', 'Redis CPU µs'],
    rows.map((row) => [
      row.keys.toLocaleString('en'),
      row.addresses.toLocaleString('en'),
      row.redisMegabytes.toFixed(0),
      row.p50.toFixed(2),
      row.p99.toFixed(1),
      row.redisCpuMicros.toFixed(0),
    ]),
  );
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}
