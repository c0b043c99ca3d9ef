import { KEY_ID_PATTERN } from '@lontar/shared/api-key.ts';
import { showHidden } from '@lontar/shared/hidden-characters.ts';
import { listKeys } from '@lontar/shared/keys/list-keys.ts';
import { keysNow } from '@lontar/shared/keys/read-key.ts';
import type { Redis } from '@lontar/shared/redis-connection.ts';
import {
  lastDays,
  type Period,
  readDate,
  readUsage,
  sumUsage,
  type UsageRow,
} from '@lontar/shared/usage/read-usage.ts';
import { USAGE_DAYS, USAGE_ERRORS, type UsageCounts } from '@lontar/shared/usage/usage-counts.ts';
import { idsWithUsage, type KeyNames, namesOf, USAGE_CSV_HEAD, usageCsv } from '@lontar/shared/usage/usage-table.ts';
import { type Command, InvalidArgumentError } from 'commander';
import { CommandFailure, EXIT } from '../../failure/failure.ts';
import { alignColumns } from '../columns.ts';
import type { CommandContext } from '../command-context.ts';

const USUAL_DAYS = 30;

interface UsageOptions {
  readonly key?: string;
  readonly owner?: string;
  readonly from?: string;
  readonly to?: string;
  readonly csv?: boolean;
}

/** Rows of some keys, and what these are called. */
interface Piece {
  readonly rows: readonly UsageRow[];
  readonly names: ReadonlyMap<string, KeyNames>;
}

/**
 * `lontar usage`: what keys have used.
 *
 * @throws nothing itself; the command rejects with CommandFailure where the period makes no sense, and when Redis fails
 */
export function addUsageCommand(program: Command, context: CommandContext): void {
  program
    .command('usage')
    .description('requests and tokens by key, UTC day and model')
    .option('--key <ID>', 'of this key, also one that was deleted', keyId)
    .option('--owner <OWNER>', 'of the keys of this owner')
    .option('--from <DATE>', `the first UTC day (30 days ago unless given; ${USAGE_DAYS} days are kept)`, date)
    .option('--to <DATE>', 'the last UTC day (default: today)', date)
    .option('--csv', 'as CSV for spreadsheets: a line for each key, day and model')
    .addHelpText(
      'after',
      '\nThe key "none" holds requests without a valid key. The key "others" holds refusals that came too fast to be counted by key.\nThe sum of all lines is the counter of the service.',
    )
    .action((options: UsageOptions) => context.withRedis((redis) => printUsage(redis, options, context)));
}

async function printUsage(redis: Redis, options: UsageOptions, context: CommandContext): Promise<void> {
  const period = periodOf(options, await keysNow(redis));
  if (options.csv === true && context.json())
    throw new CommandFailure(EXIT.usage, 'error: give --csv or --json, not both.');
  const { out } = context.streams;
  if (options.csv === true) {
    out.write(USAGE_CSV_HEAD);
    for await (const { rows, names } of pieces(redis, options, period)) {
      for (const row of rows) out.write(usageCsv(row, names.get(row.key)));
    }
  } else if (context.json()) {
    let separator = '[';
    for await (const { rows, names } of pieces(redis, options, period)) {
      for (const row of rows) {
        out.write(`${separator}\n${JSON.stringify({ ...row, ...names.get(row.key) })}`);
        separator = ',';
      }
    }
    out.write(separator === '[' ? '[]\n' : '\n]\n');
  } else await printTable(redis, options, period, context);
}

/** Usage in pieces, so that tens of thousands of keys are not held at once. */
async function* pieces(redis: Redis, options: UsageOptions, period: Period): AsyncGenerator<Piece> {
  for await (const ids of idsOf(redis, options)) {
    for await (const rows of readUsage(redis, ids, period)) {
      yield { rows, names: await namesOf(redis, [...new Set(rows.map(({ key }) => key))]) };
    }
  }
}

async function* idsOf(redis: Redis, { key, owner }: UsageOptions): AsyncGenerator<string[]> {
  if (key !== undefined) yield [key];
  else if (owner === undefined) yield* idsWithUsage(redis);
  else {
    let cursor: string | null | undefined;
    while (cursor !== null) {
      const page = await listKeys(redis, { owner, limit: 200, cursor: cursor ?? undefined });
      yield page.keys.map(({ id }) => id);
      cursor = page.cursor;
    }
  }
}

/** A line for each day of one key, or for each of many keys. */
async function printTable(
  redis: Redis,
  options: UsageOptions,
  period: Period,
  { streams }: CommandContext,
): Promise<void> {
  const lines: [string[], UsageCounts][] = [];
  let total = sumUsage([]);
  for await (const { rows, names } of pieces(redis, options, period)) {
    const groups = Map.groupBy(rows, (row) => (options.key === undefined ? row.key : `${row.date} ${row.model}`));
    for (const [group, of] of groups) {
      const { name = '', owner = '' } = names.get(group) ?? {};
      const [day = '', ...model] = group.split(' ');
      const head =
        options.key === undefined ? [group, showHidden(owner || '-'), showHidden(name || '-')] : [day, model.join(' ')];
      lines.push([head, sumUsage(of)]);
    }
    total = sumUsage([...rows, { ...total, key: '', date: '', model: '' }]);
  }
  const { from, to } = period;
  if (lines.length === 0) return void streams.out.write(`Nothing was used from ${from} to ${to}.\n`);
  const head = options.key === undefined ? ['KEY', 'OWNER', 'NAME'] : ['DAY', 'MODEL'];
  const table = alignColumns([
    [...COLUMNS, ...head],
    ...lines.map(([of, counts]) => cellsOf(counts).concat(of)),
    [...cellsOf(total), 'all of them'],
  ]);
  streams.out.write(`${table}\n`);
}

const COLUMNS = ['REQUESTS', 'SUCCESSES', 'ERRORS', 'LEFT', 'MASKED', 'PROMPT', 'COMPLETION', 'ESTIMATED'];

function cellsOf(counts: UsageCounts): string[] {
  const errors = USAGE_ERRORS.reduce((sum, error) => sum + counts[error], 0);
  const { requests, successes, left, masked, promptTokens, completionTokens, estimatedTokens } = counts;
  return [requests, successes, errors, left, masked, promptTokens, completionTokens, estimatedTokens].map(String);
}

function periodOf({ from, to }: UsageOptions, nowMs: number): Period {
  const usual = lastDays(USUAL_DAYS, nowMs);
  const period = { from: from ?? (to !== undefined && to < usual.from ? to : usual.from), to: to ?? usual.to };
  if (period.from <= period.to) return period;
  throw new CommandFailure(EXIT.usage, `error: the period ends on ${period.to}, before it begins on ${period.from}.`);
}

function keyId(text: string): string {
  if (KEY_ID_PATTERN.test(text)) return text;
  throw new InvalidArgumentError('It must be the id of a key: 10 letters and digits, see "lontar keys list".');
}

function date(text: string): string {
  const day = readDate(text);
  if (day === undefined) throw new InvalidArgumentError('It must be a UTC day such as 2026-01-31.');
  return day;
}
