import { setTimeout as delay } from 'node:timers/promises';
import { redisKeys } from '@lontar/shared/redis-keys.ts';
import { parseSettlement } from '@lontar/shared/settlement/settlement.ts';
import { countReservations } from '@lontar/shared/testing/reservations.ts';
import { type Pair, readPairs, tokenForNumbers } from '../harness/agreeing-numbers.ts';
import { dumpRedis } from '../harness/redis-dump.ts';
import { findCanaries } from './canaries.ts';
import { type LedgerEntry, NONCE, type Settled, statusOf } from './ledger.ts';
import type { Report } from './report.ts';
import { isUp, type System, until } from './system.ts';

/**
 * A call that was on its way when the client was refused may still arrive, ms; on a busy machine, late. One that arrives
 * while this process stands still is seen when it goes on.
 */
const ON_THE_WAY_MS = { quick: 2_000, long: 250 };
const QUIET_WITHIN_MS = 60_000;
const AGREE_WITHIN_MS = 30_000;
/** All of them together take a second of a processor. */
const READ_AGAIN_MS = 500;
const PAGES = ['/', '/docs', '/openapi.json', '/llms.txt', '/api/usage', '/api/health', '/api/stats'];

/** `FREE_FAILURES_PER_HOUR` by default, and the failures that it bounds. */
const FREE_FAILURES = 5;
const LIMITED = new Set(['upstream_error', 'timed_out', 'masking_failed', 'internal_error', 'stream_broken']);
const CLIENT_CLOSED = 499;

const REQUEST_PREFIX = redisKeys.request('');
const KEY_PREFIX = redisKeys.apiKey('');
const QUEUE_KEYS = ['wait', 'active', 'delayed', 'paused', 'prioritized'];

/** Enters into the ledger what Redis says of all requests that it still knows. Results expire after ten minutes. */
export async function readOutcomes({ stack, ledger }: System): Promise<void> {
  const { client } = stack.redis;
  for (const name of await client.keys(`${REQUEST_PREFIX}*`)) {
    const { charge, result, owner, left } = await client.hgetall(name);
    // Only the fence of a job that was started again; or what a lost worker has sent ahead of its script.
    if (result === undefined || charge === undefined) continue;
    const settlement = parseSettlement(result);
    const text = settlement?.outcome === 'answered' ? settlement.text : '';
    const error = settlement?.outcome === 'failed' ? settlement.error : undefined;
    const requestId = name.slice(REQUEST_PREFIX.length);
    const keyId = owner?.startsWith(KEY_PREFIX) ? owner.slice(KEY_PREFIX.length) : undefined;
    const charged = charge === 'charge';
    ledger.note({ requestId, keyId, nonce: NONCE.exec(text)?.[0], charged, error, hasLeft: left !== undefined });
  }
}

/** Waits until nothing is in work any more, then prints every invariant. */
export async function checkInvariants(system: System, report: Report, quick: boolean): Promise<void> {
  const leftOver = await untilQuiet(system);
  await readOutcomes(system);
  const entries = [...system.ledger.entries.values()];
  report.fact('requests sent', entries.length);
  for (const [where, size] of Object.entries(leftOver)) report.fact(`left in ${where} when all is quiet`, size);
  const left = Object.values(leftOver).reduce((sum, size) => sum + size, 0);
  report.fact('unsettled or still queued when all is quiet', left, { atMost: 0 });
  const stoodStillMs = system.stoodStillMs();
  report.timed('the tester stood still at most', stoodStillMs);
  checkOutcomes(system, report, entries, ON_THE_WAY_MS[quick ? 'quick' : 'long'] + stoodStillMs);
  await checkCredits(system, report, entries, stoodStillMs);
  if (system.stack.stats) {
    await checkEvents(system, report, entries);
    await checkNumbers(system, report);
  }
  report.fact('secrets found where they must not be', (await leaks(system, entries)).length, { atMost: 0 });
}

/** @returns what is left, by where it is; nothing where all is quiet */
async function untilQuiet({ stack }: System): Promise<Record<string, number>> {
  const { client } = stack.redis;
  const sizeOf = async (key: string) => {
    const type = await client.type(key);
    return type === 'zset' ? client.zcard(key) : type === 'list' ? client.llen(key) : 0;
  };
  const read = async () => {
    const events = stack.stats ? client.xlen(redisKeys.events) : Promise.resolve(0);
    const queued = QUEUE_KEYS.map((name) => sizeOf(`{lontar}:generation:${name}`));
    const sizes = await Promise.all([countReservations(client), events, ...queued]);
    const named = ['reservations', 'events', ...QUEUE_KEYS].map((name, index) => [name, sizes[index] ?? 0] as const);
    return Object.fromEntries(named.filter(([, size]) => size > 0));
  };
  await until(async () => Object.keys(await read()).length === 0, QUIET_WITHIN_MS, 'quiet').catch(() => undefined);
  return read();
}

function checkOutcomes({ ledger }: System, report: Report, entries: readonly LedgerEntry[], onTheWayMs: number): void {
  const refused = entries.filter((entry) => statusOf(entry) === 503);
  const outcomeOf = (entry: LedgerEntry) =>
    entry.end?.kind === 'answered' ? ledger.settled.get(entry.end.requestId) : undefined;
  const count = (isSuch: (entry: LedgerEntry) => boolean) => entries.filter(isSuch).length;
  const isAnswered = (entry: LedgerEntry) => statusOf(entry) === 200;

  report.fact(
    'requests without an end',
    count(({ end }) => end === undefined),
    { atMost: 0 },
  );
  report.fact(
    'answers to the wrong caller',
    count((entry) => isAnswered(entry) && entry.ownAnswer !== true),
    { atMost: 0 },
  );
  report.fact(
    'answers that were not charged',
    count((entry) => isAnswered(entry) && outcomeOf(entry)?.charged === false),
    {
      atMost: 0,
    },
  );
  report.fact('failures that were charged, or not, unlike their answer says', count(isUntrue(outcomeOf)), {
    atMost: 0,
  });
  report.fact(
    'failures that were charged though they cannot have cost money',
    count((entry) => outcomeOf(entry)?.charged === true && NEVER_CHARGED.has(statusOf(entry))),
    { atMost: 0 },
  );
  report.fact(
    '503 without Retry-After',
    refused.filter(({ end }) => end?.kind === 'answered' && !end.inBand && !end.retryAfter).length,
    {
      atMost: 0,
    },
  );
  const runLater = refused.filter(({ nonce, endedAt = 0 }) =>
    ledger.calls.get(nonce)?.some((at) => at > endedAt + onTheWayMs),
  );
  report.fact('jobs run after their client was refused', runLater.length, { atMost: 0 });
}

/** An admitted request that failed for these is never charged. */
const NEVER_CHARGED = new Set([503]);

/** Whether the answer of a failure says of its charge what Redis does not. */
function isUntrue(outcomeOf: (entry: LedgerEntry) => Settled | undefined) {
  return (entry: LedgerEntry) => {
    const outcome = outcomeOf(entry);
    if (outcome === undefined || entry.end?.kind !== 'answered' || statusOf(entry) < 500) return false;
    return outcome.charged !== /\bwas charged\b/.test(entry.end.text);
  };
}

/** The upstream is the tester's own: what stands still for longer may miss a call whose client leaves meanwhile. */
const HEARS_WITHIN_MS = 1_000;

/** Each nonce is charged at most once, and each key exactly as often as its nonces. */
async function checkCredits(
  { stack, ledger, keys }: System,
  report: Report,
  entries: readonly LedgerEntry[],
  stoodStillMs: number,
) {
  const charges = [...ledger.settled.values()].filter(({ charged }) => charged);
  const nonces = charges.map(({ nonce }) => nonce).filter((nonce) => nonce !== undefined);
  report.fact('requests charged twice', nonces.length - new Set(nonces).size, { atMost: 0 });
  const chargedOf = async (ids: readonly string[]) => {
    const stored = await Promise.all(ids.map((id) => stack.redis.client.hget(redisKeys.apiKey(id), 'charged')));
    return stored.reduce((sum, charged) => sum + Number(charged), 0);
  };
  const total = await chargedOf(keys.map(({ id }) => id));
  // Settlements do not say whose they are: those of strangers are among them.
  const ofAll = total + (await chargedOf(ledger.strangers.keyIds));
  report.fact('credits charged beyond the settled answers, or missing', Math.abs(ofAll - charges.length), {
    atMost: 0,
  });
  const answered = entries.filter((entry) => statusOf(entry) === 200).length;
  const unseen = entries.filter(({ end }) => end?.kind === 'broken' || end?.kind === 'left').length;
  const charged = (isSuch: (settled: Settled) => boolean) => charges.filter(isSuch).length;
  const said = entries.filter(
    ({ end }) => end?.kind === 'answered' && ledger.settled.get(end.requestId)?.charged,
  ).length;
  // A stream that its first reader has left tells later ones so.
  const isLeft = (entry: LedgerEntry) => entry.end?.kind !== 'answered' || statusOf(entry) === CLIENT_CLOSED;
  // A call that was sent and cut off while the tester stood still, its upstream has never heard of.
  const isHeard = stoodStillMs < HEARS_WITHIN_MS;
  const mayHavePaid = (entry: LedgerEntry) => isLeft(entry) && (ledger.calls.has(entry.nonce) || !isHeard);
  // Which of their requests the model was asked for, nobody has counted.
  const isOfLeaver = ({ error, keyId = '' }: Settled) =>
    error === 'client_closed' && !ledger.strangers.keyIds.includes(keyId);
  report.fact(
    'callers who left and paid though the model was not called',
    Math.max(0, charged(isOfLeaver) - entries.filter(mayHavePaid).length),
    { atMost: 0 },
  );
  const used = await Promise.all(
    keys.map(async ({ id }) => ({ id, free: await stack.redis.client.llen(redisKeys.keyFreeFailures(id)) })),
  );
  const withFree = new Set(used.filter(({ free }) => free < FREE_FAILURES).map(({ id }) => id));
  report.fact(
    'failures charged while there were free ones left',
    // See settle-request.lua: a call may fail in the moment in which its client leaves.
    charged(
      ({ error, keyId, hasLeft }) =>
        LIMITED.has(error ?? '') && hasLeft !== true && withFree.has(keyId ?? keys[0]?.id ?? ''),
    ),
    { atMost: 0 },
  );
  report.fact(
    'charged without an answer, beyond connections that ended early',
    Math.max(0, total - Math.max(answered, said) - unseen),
    {
      atMost: 0,
    },
  );
  const flights = await Promise.all(keys.map(({ id }) => stack.redis.client.zcard(redisKeys.keyFlight(id))));
  report.fact('places in flight that were not given back', Math.max(...flights), { atMost: 0 });
}

async function checkEvents({ urls, ledger }: System, report: Report, entries: readonly LedgerEntry[]): Promise<void> {
  let usage: { result?: { total: { requests: number } } } = {};
  // Right after a load a busy machine's statistics may answer too late.
  const isThere = async () => {
    usage = (await (await fetch(new URL('/api/usage', urls()[0]))).json()) as typeof usage;
    return usage.result !== undefined;
  };
  await until(isThere, QUIET_WITHIN_MS, 'the statistics');
  // A stream that its client left and came back to may be counted by the end of its work, which no connection saw.
  const isSeen = ({ end, stream }: LedgerEntry) => end?.kind === 'answered' && (stream?.resumes ?? 0) === 0;
  const answered = entries.filter(isSeen).length;
  const { strangers } = ledger;
  const resumes = entries.reduce((sum, { stream }) => sum + (stream?.resumes ?? 0), 0);
  const unseen = entries.length - answered + resumes + strangers.unseen;
  const drift = (usage.result?.total.requests ?? 0) - answered - strangers.answered;
  // Whether the answer of a connection that ended early was sent is unknown.
  report.fact('events lost', Math.max(0, -drift), { atMost: 0 });
  report.fact('events counted beyond what clients saw', Math.max(0, drift - unseen), { atMost: 0 });
}

/** Page, APIs, command, CSV, Prometheus and log tell of the same requests: so many pairs of numbers, each of which agrees. */
async function checkNumbers({ stack, urls, keys }: System, report: Report): Promise<void> {
  const unlikeOf = (all: readonly Pair[]) => all.filter(({ one, other }) => one !== other);
  const token = await tokenForNumbers(stack);
  let pairs: Pair[] = [];
  // A row of the log that stands for several refusals says how many some time after the last of them; a busy machine is late.
  const lastAt = performance.now() + AGREE_WITHIN_MS;
  const isLast = async () => {
    pairs = await readPairs(stack, urls()[0] ?? stack.url, keys, token);
    if (unlikeOf(pairs).length === 0 || performance.now() > lastAt) return true;
    await delay(READ_AGAIN_MS);
    return false;
  };
  await until(isLast, QUIET_WITHIN_MS, 'a reading of all numbers');
  report.fact('pairs of numbers compared', pairs.length, { atLeast: 90 });
  const unlike = unlikeOf(pairs);
  report.fact('pairs of numbers that differ', unlike.length, { atMost: 0 });
  for (const { what, one, other } of unlike) report.fact(`${what}: ${one} against`, other);
}

async function leaks({ stack, keys, answerSecret, urls }: System, entries: readonly LedgerEntry[]): Promise<string[]> {
  const secrets: Record<string, string> = { ...stack.secrets, 'unmasked answer': answerSecret };
  for (const { id, key } of keys) secrets[`key ${id}`] = key;
  const metrics = await Promise.all((await stack.metricsUrls()).map(read));
  const pages = isAnyUp(stack) ? await Promise.all(PAGES.map((page) => read(new URL(page, urls()[0]).href))) : [];
  const errors = new Set(entries.map(({ end }) => (end?.kind === 'answered' ? end.text : '')));
  return findCanaries(secrets, {
    logs: stack.logs(),
    Redis: await dumpRedis(stack.redis.client),
    metrics: metrics.join('\n'),
    errors: [...errors].join('\n'),
    pages: pages.join('\n'),
  });
}

const isAnyUp = ({ gateways }: System['stack']) => gateways.some(isUp);

/** Empty for an instance that has just gone. */
async function read(url: string): Promise<string> {
  return fetch(url)
    .then((response) => response.text())
    .catch(() => '');
}
