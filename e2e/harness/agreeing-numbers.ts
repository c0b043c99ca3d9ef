import type { LogPage, LogRow, Tiles } from '@lontar/shared/dashboard-contract.ts';
import { isGenerationRoute } from '@lontar/shared/request-event.ts';
import { sumUsage, type UsageRow } from '@lontar/shared/usage/read-usage.ts';
import { COUNT_OF_OUTCOME, USAGE_COUNTS, USAGE_ERRORS, type UsageCounts } from '@lontar/shared/usage/usage-counts.ts';
import { columnOf } from '@lontar/shared/usage/usage-table.ts';
import type { Stack } from './stack.ts';

/** Two numbers that must be the same, and where each was read. */
export interface Pair {
  readonly what: string;
  readonly one: number;
  readonly other: number;
}

interface CounterAnswer {
  readonly total: Readonly<Record<string, number>>;
  readonly today: Readonly<Record<string, number>>;
}

/** The log has the last 10,000 rows, and of those about refused requests the last 5,000: of more it cannot tell all. */
const MOST_LOG_ROWS = 9_000;
const MOST_REFUSED_ROWS = 4_900;

/** An admin token to read numbers with; it is made once, because the command takes longer than the reading. */
export async function tokenForNumbers(stack: Pick<Stack, 'lontar'>): Promise<string> {
  const { stdout } = await stack.lontar('admin-tokens', 'create', '--name', 'numbers', '--role', 'operator', '--json');
  return (JSON.parse(stdout) as { token: string }).token;
}

/**
 * Reads what the page, the API, the admin API, the operator's command, CSV, Prometheus and the request log say of the same
 * requests. Nothing may be in work meanwhile, and all events must have been counted.
 *
 * @param url of a gateway that is up
 * @param keys whose holders ask for their own view
 * @param token see `tokenForNumbers`
 * @returns every pair of numbers that must agree
 * @throws when one of them cannot be read
 */
export async function readPairs(
  stack: Stack,
  url: string,
  keys: readonly { id: string; key: string }[],
  token: string,
): Promise<Pair[]> {
  const headers = { authorization: `Bearer ${token}` };
  const cookie = await signIn(stack, url);
  const [open, stats, counters, all, each, csv, command, commandCsv, tiles, gauges, log, own] = await Promise.all([
    resultOf<CounterAnswer>(url, '/api/usage', {}),
    resultOf<{ total_requests: number }>(url, '/api/stats', {}),
    resultOf<{ usage: CounterAnswer; stats: { total_requests: number } }>(url, '/admin/v1/counters', headers),
    resultOf<{ rows: UsageRow[] }>(url, '/admin/v1/usage?key=all', headers),
    pagesOfUsage(url, headers),
    pagesOfCsv(url, headers),
    stack.lontar('usage', '--json'),
    stack.lontar('usage', '--csv'),
    readTiles(url, cookie),
    readGauges(stack),
    readLog(url, cookie),
    Promise.all(keys.map((key) => readOwn(url, key))),
  ]);
  const whole = sumUsage(all.rows);
  const sums: Readonly<Record<string, UsageCounts>> = {
    'admin API, key by key': sumUsage(each),
    'admin API as CSV': csv,
    'lontar usage --json': sumUsage(JSON.parse(command.stdout) as UsageRow[]),
    'lontar usage --csv': sumCsv(commandCsv.stdout),
  };
  return [
    ...Object.entries(sums).flatMap(([where, sum]) =>
      USAGE_COUNTS.map((count) => pair(`${where}, ${count}`, sum[count], whole[count])),
    ),
    ...pairsOfCounters(open, counters.usage),
    pair('/api/stats', stats.total_requests, open.total['requests']),
    pair('admin API, statistics', counters.stats.total_requests, open.total['requests']),
    ...(['requests', 'successes', 'masked'] as const).map((name) =>
      pair(`usage, ${name}`, whole[name], open.total[name]),
    ),
    pair(
      'successes and errors',
      whole.successes + USAGE_ERRORS.reduce((sum, error) => sum + whole[error], 0),
      whole.requests,
    ),
    ...pairsOfTiles(tiles, open, whole),
    ...pairsOfGauges(gauges, tiles),
    ...pairsOfLog(log, whole),
    ...own.flatMap(({ id, usage }) => pairsOfOwn(id, usage, sumUsage(each.filter(({ key }) => key === id)))),
  ];
}

function pair(what: string, one: number | undefined, other: number | undefined): Pair {
  return { what, one: one ?? Number.NaN, other: other ?? Number.NaN };
}

async function resultOf<Result>(url: string, path: string, headers: Record<string, string>): Promise<Result> {
  const response = await fetch(new URL(path, url), { headers });
  if (!response.ok) throw new Error(`${path}: HTTP ${response.status}`);
  return ((await response.json()) as { readonly result: Result }).result;
}

async function signIn({ secrets }: Stack, url: string): Promise<string> {
  const body = JSON.stringify({ token: secrets.dashboardToken });
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(new URL('/dashboard/session', url), { method: 'POST', headers, body });
  return (response.headers.get('set-cookie') ?? '').split(';', 1)[0] ?? '';
}

async function pagesOfUsage(url: string, headers: Record<string, string>): Promise<UsageRow[]> {
  const found: UsageRow[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const query = cursor === '' ? '' : `?cursor=${encodeURIComponent(cursor)}`;
    const page: { rows: UsageRow[]; cursor: string | null } = await resultOf(url, `/admin/v1/usage${query}`, headers);
    found.push(...page.rows);
    ({ cursor } = page);
  }
  return found;
}

async function pagesOfCsv(url: string, headers: Record<string, string>): Promise<UsageCounts> {
  let text = '';
  for (let cursor: string | null = ''; cursor !== null; ) {
    const query: string = cursor === '' ? '' : `?cursor=${encodeURIComponent(cursor)}`;
    const response = await fetch(new URL(`/admin/v1/usage.csv${query}`, url), { headers });
    text += await response.text();
    cursor = response.headers.get('x-next-cursor');
  }
  return sumCsv(text);
}

/** The counts stand last in each line, behind names that may have commas of their own. */
function sumCsv(text: string): UsageCounts {
  const [head = '', ...lines] = text.trimEnd().split('\r\n');
  if (!head.endsWith(USAGE_COUNTS.map(columnOf).join(','))) throw new Error(`another head than the counts: ${head}`);
  const sums = USAGE_COUNTS.map((count, index) => {
    const place = index - USAGE_COUNTS.length;
    return [count, lines.reduce((sum, line) => sum + Number(line.split(',').at(place)), 0)] as const;
  });
  return Object.fromEntries(sums) as UsageCounts;
}

/** What the page has in it before its live stream says anything. */
async function readTiles(url: string, cookie: string): Promise<Tiles> {
  const page = await (await fetch(new URL('/', url), { headers: { cookie } })).text();
  const tiles = /data-tiles="([^"]*)"/.exec(page)?.[1];
  if (tiles === undefined) throw new Error('the page has no numbers');
  return JSON.parse(tiles.replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&amp;', '&')) as Tiles;
}

/** Gauges of stats-service, as Prometheus scrapes them. */
async function readGauges(stack: Stack): Promise<ReadonlyMap<string, number>> {
  const scraped = await Promise.all(
    (await stack.metricsUrls()).map((url) =>
      fetch(url).then(
        (answer) => answer.text(),
        () => '',
      ),
    ),
  );
  const lines = scraped.join('\n').matchAll(/^(lontar_[a-z_]+)(?:\{[^}]*\})? (\S+)$/gm);
  return new Map([...lines].map(([, name = '', value]) => [name, Number(value)]));
}

/** All rows of the log; `undefined` where it has lost some. */
async function readLog(url: string, cookie: string): Promise<LogRow[] | undefined> {
  const rows: LogRow[] = [];
  for (let before: string | undefined = ''; before !== undefined; ) {
    const query: string = before === '' ? '' : `?before=${before}`;
    const response = await fetch(new URL(`/dashboard/log${query}`, url), { headers: { cookie } });
    if (!response.ok) throw new Error(`/dashboard/log: HTTP ${response.status}`);
    const page = (await response.json()) as LogPage;
    rows.push(...page.rows);
    if (rows.length > MOST_LOG_ROWS) return undefined;
    ({ before } = page);
  }
  return rows.filter(({ endpoint }) => endpoint === undefined).length > MOST_REFUSED_ROWS ? undefined : rows;
}

interface OwnUsage {
  readonly id: string;
  readonly usage: { readonly last_30_days: Readonly<Record<string, number>> };
}

function readOwn(url: string, { key }: { readonly key: string }): Promise<OwnUsage> {
  return resultOf<OwnUsage>(url, '/api/key', { 'x-api-key': key });
}

function pairsOfCounters(open: CounterAnswer, admin: CounterAnswer): Pair[] {
  return (['total', 'today'] as const).flatMap((when) =>
    ['requests', 'successes', 'client_errors', 'server_errors', 'masked', 'unique_ips', 'unique_users'].map((name) =>
      pair(`/api/usage and the admin API, ${when}, ${name}`, open[when][name], admin[when][name]),
    ),
  );
}

function pairsOfTiles(tiles: Tiles, { total, today }: CounterAnswer, whole: UsageCounts): Pair[] {
  const isOneDay = total['requests'] === today['requests'];
  return [
    pair('page, requests', tiles.requestsSinceReset, total['requests']),
    pair('page, requests today', tiles.requestsToday, today['requests']),
    pair('page, successes today', tiles.successesToday, today['successes']),
    pair('page, errors today', tiles.errorsToday, today['server_errors']),
    pair('page, errors of callers today', tiles.clientErrorsToday, today['client_errors']),
    pair('page, masked today', tiles.maskedToday, today['masked']),
    // Usage is of 30 days: where the run has seen midnight, its sums are of more than today.
    ...(isOneDay
      ? Object.entries(COUNT_OF_OUTCOME).map(([outcome, count]) =>
          pair(`page, ${outcome}`, tiles.outcomesToday[outcome as keyof typeof COUNT_OF_OUTCOME] ?? 0, whole[count]),
        )
      : []),
  ];
}

function pairsOfGauges(gauges: ReadonlyMap<string, number>, tiles: Tiles): Pair[] {
  return [
    pair('Prometheus, requests', gauges.get('lontar_requests_since_reset'), tiles.requestsSinceReset),
    pair('Prometheus, requests today', gauges.get('lontar_requests_today'), tiles.requestsToday),
    pair('Prometheus, errors today', gauges.get('lontar_errors_today'), tiles.errorsToday),
    pair('Prometheus, errors of callers today', gauges.get('lontar_client_errors_today'), tiles.clientErrorsToday),
    pair('Prometheus, users today', gauges.get('lontar_unique_users_today'), tiles.uniqueUsersToday),
  ];
}

/** Who left without an answer is not among the requests. A row may stand for several refusals, all of them requests for generation. */
function pairsOfLog(rows: readonly LogRow[] | undefined, whole: UsageCounts): Pair[] {
  if (rows === undefined) return [];
  const answers = rows.filter(
    ({ route, error, endpoint }) => isGenerationRoute(route) && (error !== 'client_closed' || endpoint === undefined),
  );
  return Object.entries(COUNT_OF_OUTCOME).map(([outcome, count]) => {
    const of = answers.filter((row) => row.outcome === outcome);
    const requests = of.reduce((sum, row) => sum + (row.count ?? 1), 0);
    return pair(`log, ${outcome}`, requests, whole[count]);
  });
}

function pairsOfOwn(id: string, { last_30_days: own }: OwnUsage['usage'], usage: UsageCounts): Pair[] {
  const errors = USAGE_ERRORS.reduce((sum, error) => sum + usage[error], 0);
  const alike = { ...usage, errors };
  const names = ['requests', 'successes', 'errors', 'masked', 'left', 'promptTokens', 'completionTokens'] as const;
  return names.map((name) => pair(`/api/key of ${id}, ${name}`, own[snake(name)], alike[name]));
}

function snake(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
