import { describe, expect, test } from '@jest/globals';
import { operatorKeys } from '@lontar/shared/operator-sessions.ts';
import { queueKeys } from '@lontar/shared/queue/queue-keys.ts';
import { redisKeys } from '@lontar/shared/redis-keys.ts';
import { statsKeys } from '@lontar/stats-service/stats-keys.ts';
import { DURABLE, durableFamily, isFleeting } from './durable-keys.ts';

const EXAMPLES = {
  keyId: 'A1b2C3d4E5',
  upload: `file_${'U'.repeat(22)}`,
  day: '2026-01-31',
};

/** Every kind of key that Lontar has, with real names; what takes no arguments is there by itself. */
const names: Record<string, string[]> = {
  ...fixed(redisKeys),
  ...fixed(statsKeys),
  apiKey: [redisKeys.apiKey(EXAMPLES.keyId)],
  keyHour: [redisKeys.keyHour(EXAMPLES.keyId)],
  keyFlight: [redisKeys.keyFlight(EXAMPLES.keyId)],
  ...Object.fromEntries(
    (['addressHour', 'addressBadKeys', 'addressBan'] as const).map((kind) => [
      kind,
      ['192.0.2.1', '2001:db8:0:1100::/56', 'unknown'].map((address) => redisKeys[kind](address)),
    ]),
  ),
  request: [redisKeys.request('req_a')],
  prepared: [redisKeys.prepared('req_a', 'worker:1')],
  upstream: [redisKeys.upstream('backup')],
  upstreamPlaces: [redisKeys.upstreamPlaces('backup')],
  upstreamRates: [redisKeys.upstreamRates('backup')],
  upstreamCatalog: [redisKeys.upstreamCatalog('0f1e2d3c4b5a6978')],
  upstreamCalls: [redisKeys.upstreamCalls('worker-1a2b3c4d5e6f')],
  upload: [redisKeys.upload(EXAMPLES.upload)],
  inbox: [redisKeys.inbox('gateway-1')],
  inboxBytes: [redisKeys.inboxBytes('gateway-1')],
  clock: [redisKeys.clock],
  eventProducer: [redisKeys.eventProducer('gateway-1')],
  probe: [redisKeys.probe('gateway-1')],
  uploads: [redisKeys.uploads(EXAMPLES.day, '192.0.2.1'), redisKeys.uploads(EXAMPLES.day, '2001:db8::/56')],
  day: [statsKeys.day(EXAMPLES.day)],
  responseTimes: [statsKeys.responseTimes(EXAMPLES.day)],
  moment: [statsKeys.moment(1_770_000_000_000)],
  people: [statsKeys.people('users', 'all'), statsKeys.people('ips', EXAMPLES.day)],
  peopleSketch: [statsKeys.peopleSketch('users', 'all'), statsKeys.peopleSketch('ips', EXAMPLES.day)],
  ...fixed(operatorKeys),
  keyUploads: [redisKeys.keyUploads(EXAMPLES.keyId)],
  workerChannel: [redisKeys.workerChannel('worker-1a2b3c4d5e6f')],
  addressDownloads: [redisKeys.addressDownloads('192.0.2.1')],
  partial: [redisKeys.partial('req_x', 'text'), redisKeys.partial('req_x', 'reasoning')],
  streamNumbers: [redisKeys.streamNumbers('worker-0123456789ab')],
  streamJournal: [redisKeys.streamJournal('worker-0123456789ab')],
  followers: [redisKeys.followers('req_x')],
  keyFreeFailures: [redisKeys.keyFreeFailures(EXAMPLES.keyId)],
  apiKeysOf: ['active', 'expired', 'revoked'].map((state) => redisKeys.apiKeysOf(state)),
  keyUsage: [EXAMPLES.keyId, 'all', 'none', 'others'].map((of) => redisKeys.keyUsage(of, '2026-01')),
  keyDeleted: [redisKeys.keyDeleted(EXAMPLES.keyId)],
  signInFailures: [statsKeys.signInFailures('192.0.2.1')],
  signInTries: [statsKeys.signInTries('192.0.2.1')],
  adminRequests: [redisKeys.adminRequests(EXAMPLES.keyId), redisKeys.adminRequests('2001:db8::/56')],
  adminBadTokens: [redisKeys.adminBadTokens('192.0.2.1')],
  adminBan: [redisKeys.adminBan('192.0.2.1')],
  adminRefused: [redisKeys.adminRefused(EXAMPLES.keyId, 'key.create')],
  job: [queueKeys.waiting],
};

/** Functions that make names of what is no kind of its own: `stats` is the prefix of stats-service's. */
const PREFIXES = new Set(['stats']);

test('every kind of key is either in a backup or known not to be', () => {
  const kinds = [...Object.keys(redisKeys), ...Object.keys(statsKeys), ...Object.keys(operatorKeys)].filter(
    (kind) => !PREFIXES.has(kind),
  );
  expect(kinds.filter((kind) => names[kind] === undefined)).toEqual([]);
  const undecided = Object.values(names)
    .flat()
    .filter((name) => (durableFamily(name) !== undefined) === isFleeting(name));
  expect(undecided).toEqual([]);
});

test('no name belongs to two kinds, and every kind of a backup has one', () => {
  const families = Object.values(names)
    .flat()
    .map((name) => DURABLE.filter((family) => family.names.test(name)));
  expect(families.filter((found) => found.length > 1)).toEqual([]);
  expect(DURABLE.filter((family) => !families.flat().includes(family)).map(({ names }) => names.source)).toEqual([]);
});

describe('names that look like durable ones', () => {
  test.each([
    redisKeys.apiKey('short'),
    redisKeys.apiKey(`${EXAMPLES.keyId}:x`),
    `x${redisKeys.apiKeyIndex}`,
    `${redisKeys.apiKeyIndex}\n`,
    redisKeys.uploads('yesterday', '192.0.2.1'),
    redisKeys.upload('../etc'),
    redisKeys.addressBan('192.0.2.1 '),
    redisKeys.stats('session'),
    redisKeys.stats('totals:x'),
    redisKeys.stats('anything'),
  ])('%j is none', (name) => {
    expect(durableFamily(name)).toBeUndefined();
  });
});

function fixed(keys: Readonly<Record<string, unknown>>): Record<string, string[]> {
  const texts = Object.entries(keys).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
  return Object.fromEntries(texts.map(([kind, name]) => [kind, [name]]));
}
