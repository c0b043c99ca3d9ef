/** All keys carry one hash tag, so that everything a script touches lives in one slot of a cluster. */
const TAG = '{lontar}';

/** Prefix that BullMQ puts before its own keys. */
export const QUEUE_PREFIX = TAG;

/** The name of every key that Lontar keeps in Redis (BullMQ's own aside), with its type and what it holds. */
export const redisKeys = {
  /** Hash: one API key's hash, state, limits, and counts of charged requests and of its UTC day. */
  apiKey: (keyId: string) => `${TAG}:key:${keyId}`,
  /** Sorted set: ids of all API keys, by time of creation; those of one millisecond in order, too. */
  apiKeyIndex: `${TAG}:keys`,
  /** Sorted set: entries that keys are listed by name and owner and found by, see keys/index-entries.ts. */
  apiKeyTexts: `${TAG}:keys-by-text`,
  /** Sorted set: ids of keys by the minute of their last use, Unix minutes; 0 for never. */
  apiKeyUse: `${TAG}:keys-by-use`,
  /** Sorted set: ids of the keys of a state (`active`, `expired` or `revoked`), by time of creation. */
  apiKeysOf: (state: string) => `${TAG}:keys-of:${state}`,
  /** Sorted set: ids of active keys that will expire, by when, Unix ms. */
  apiKeysExpiring: `${TAG}:keys-expiring`,
  /** Sorted set: ids of deleted keys by when that was, Unix ms, as long as their usage is kept. */
  apiKeysDeleted: `${TAG}:keys-deleted`,
  /**
   * Hash with expiry: usage of a key (or `all`, `none`, `others`) in a month (`2026-01`). Field: day of the month, blank,
   * model; value: counts, see usage/usage-counts.ts.
   */
  keyUsage: (keyId: string, month: string) => `${TAG}:key-usage:${keyId}:${month}`,
  /** String with expiry: there for a while after a key was deleted: its uploads go, and it is not made again. */
  keyDeleted: (keyId: string) => `${TAG}:key-deleted:${keyId}`,
  /** List: sliding hour of a key (its form is in script-includes/sliding-window.lua). */
  keyHour: (keyId: string) => `${TAG}:key-hour:${keyId}`,
  /** Sorted set: a key's reservations, the ids of its unsettled requests, by when they end, Unix ms. */
  keyFlight: (keyId: string) => `${TAG}:key-flight:${keyId}`,
  /** List: sliding hour of an address. */
  addressHour: (address: string) => `${TAG}:address-hour:${address}`,
  /** List: bad keys tried from an address in the last ten minutes. */
  addressBadKeys: (address: string) => `${TAG}:address-bad-keys:${address}`,
  /** String with expiry: the address is banned; holds who banned it (`brute-force` or `operator`). */
  addressBan: (address: string) => `${TAG}:address-ban:${address}`,
  /** Sorted set: addresses banned or over their hour, by when that ends, Unix ms. */
  blockedAddresses: `${TAG}:blocked-addresses`,
  /** List with expiry: when failures that may have cost money were given back to a key in the last hour, Unix ms. */
  keyFreeFailures: (keyId: string) => `${TAG}:key-free-failures:${keyId}`,
  /** Hash: one request's result and charge, kept for a while; before, what the settlement's scripts have to remember. */
  request: (requestId: string) => `${TAG}:request:${requestId}`,
  /** Hash with expiry: the result of a start of a job, by its lock, on its way to the request's hash (settlement/turn.lua). */
  prepared: (requestId: string, lock: string) => `${TAG}:request:${requestId}:${lock}`,
  /** String with expiry: the masked text or reasoning of an unsettled request that is streamed, as far as it was written. */
  partial: (requestId: string, track: string) => `${TAG}:partial:${requestId}:${track}`,
  /** Set with expiry: gateways beside the first one that have readers of an unsettled request's answer. */
  followers: (requestId: string) => `${TAG}:followers:${requestId}`,
  /**
   * Hash with expiry: what the numbers of a worker's streams stand for, `start` and request id. Beside the partial texts, so
   * that users of Redis made for an earlier version may have it.
   */
  streamNumbers: (worker: string) => `${TAG}:partial:${worker}:numbers`,
  /** String with expiry: masked pieces of a worker's streams on their way to their partial texts (numbered-frames.ts). */
  streamJournal: (worker: string) => `${TAG}:partial:${worker}:journal`,
  /**
   * Hash with expiry: bytes of each long job that is unsettled, as gateways noted it. Beside the partial texts, so that users
   * of Redis made for an earlier version may have it.
   */
  longJobs: `${TAG}:partial:jobs:bytes`,
  /** Sorted set: ids of keys with reservations, by when the sweeper has to look at them, Unix ms. */
  keysInFlight: `${TAG}:keys-in-flight`,
  /** Hash: one upload's state and metadata; its content is in the upload storage. */
  upload: (uploadId: string) => `${TAG}:upload:${uploadId}`,
  /** Sorted set: ids of uploads in work or being removed, by when their lease ends, Unix ms. */
  openUploads: `${TAG}:open-uploads`,
  /** Stream: replies for one gateway instance. */
  inbox: (gateway: string) => `${TAG}:inbox:${gateway}`,
  /** String with expiry: bytes of replies in that stream, less what its gateway has read. */
  inboxBytes: (gateway: string) => `${TAG}:inbox:${gateway}:bytes`,
  /** Channel: ids of requests that workers have to stop working on. */
  cancellations: `${TAG}:cancellations`,
  /** Stream: answered requests on their way to the statistics. */
  events: `${TAG}:events`,
  /** String with expiry: number of the last batch of events that one gateway instance appended. */
  eventProducer: (gateway: string) => `${TAG}:event-producer:${gateway}`,
  /** String: bytes of events in the stream, as their gateways and stats-service add and take away. */
  eventBytes: `${TAG}:event-bytes`,
  /** Hash: requests counted as numbers, what to how many (its form is in event-tally.ts). */
  eventTally: `${TAG}:event-tally`,
  /** Sorted set: distinct people of these, by their last request, Unix ms. */
  eventPeople: `${TAG}:event-people`,
  /** Hash and sorted set: the same, in stats-service's hands; beside its fields, `token` names who may count it. */
  eventTallyTaken: `${TAG}:event-tally-taken`,
  eventPeopleTaken: `${TAG}:event-people-taken`,
  /** Hash: instance id to its record, for gateways and workers that are up. */
  instances: `${TAG}:instances`,
  /** Hash: workers that may have jobs, by name; how often each has said that it is there, and where its process runs. */
  workers: `${TAG}:workers`,
  /** Channel of one worker, on which nothing is published: while a connection listens on it, its process is there. */
  workerChannel: (worker: string) => `${TAG}:worker:${worker}`,
  /** String with expiry: what the fleet knows of an upstream, JSON (models/upstream-state.ts). */
  upstream: (upstream: string) => `${TAG}:upstream:${upstream}`,
  /** Sorted set with expiry: calls in flight that have a place at an upstream, by when it ends without renewal, Unix ms. */
  upstreamPlaces: (upstream: string) => `${TAG}:upstream-places:${upstream}`,
  /** Hash with expiry: calls and tokens of an upstream's last minute, by slot (includes/rate-slots.lua). */
  upstreamRates: (upstream: string) => `${TAG}:upstream-rates:${upstream}`,
  /** String with expiry: a catalog of models as workers show it, by its digest, JSON (models/catalog-view.ts). */
  upstreamCatalog: (digest: string) => `${TAG}:upstream-catalog:${digest}`,
  /** String with expiry: what came of one worker's model calls of the last minutes, JSON (models/call-report.ts). */
  upstreamCalls: (worker: string) => `${TAG}:upstream-calls:${worker}`,
  /** Channel: what has become of an upstream, for all workers. */
  upstreamChanges: `${TAG}:upstream-changes`,
  /** Hash: since when the primary is it, how its clock is corrected, the latest time that was told (see meet-server.lua). */
  clock: `${TAG}:clock`,
  /** String: written by health probes, because a write notices what PING does not. */
  probe: (instance: string) => `${TAG}:probe:${instance}`,
  /** String with expiry: uploads of one address on one UTC day (`2026-01-31`), those in work included. */
  uploads: (day: string, address: string) => `${TAG}:uploads:${day}:${address}`,
  /** Hash: `files`, `bytes` and `kind:<kind>` of everything stored by uploads. */
  uploadTotals: `${TAG}:upload-totals`,
  /**
   * Hash: bytes that uploads take in the storage, those on their way included: `bytes` and `files` of all, `key:<id>` bytes
   * of one API key; `counted` once the uploads that were there before have been counted. A gateway counts anew without it.
   */
  uploadStorage: `${TAG}:upload-storage`,
  /** Sorted set: ids of the uploads of one API key that `uploadStorage` counts, by when they were made, Unix ms. */
  keyUploads: (keyId: string) => `${TAG}:key-uploads:${keyId}`,
  /** List: sliding hour of an address's downloads (its form is in script-includes/sliding-window.lua). */
  addressDownloads: (address: string) => `${TAG}:address-downloads:${address}`,
  /** Hash: admin tokens by their id, as JSON; see admin/admin-tokens.ts. */
  adminTokens: `${TAG}:admin-tokens`,
  /** Hash: when each of them was last used, Unix ms, to the minute. */
  adminTokenUses: `${TAG}:admin-token-uses`,
  /** String with expiry: requests to the admin API in this minute, of an admin token's id or of an address. */
  adminRequests: (whose: string) => `${TAG}:admin-requests:${whose}`,
  /** String with expiry: bad admin tokens tried from an address in the last ten minutes. */
  adminBadTokens: (address: string) => `${TAG}:admin-bad-tokens:${address}`,
  /** String with expiry: the address tried too many of them, and is refused by the admin API. */
  adminBan: (address: string) => `${TAG}:admin-ban:${address}`,
  /** String with expiry: a refusal of an admin token for this action stands in the audit log already. */
  adminRefused: (tokenId: string, action: string) => `${TAG}:admin-refused:${tokenId}:${action}`,
  /** Stream: who changed what, bounded by time and number; its form is in script-includes/note-audit.lua. */
  audit: `${TAG}:audit`,
  /** String: id of the last entry of `audit` that a stats-service has logged as a line. */
  auditLogged: `${TAG}:audit-logged`,
  /** Whatever a restore tries whether this Redis can read it; gone at once. */
  restoreTrial: `${TAG}:restore-trial`,
  /** Prefix of everything that stats-service alone keeps. */
  stats: (name: string) => `${TAG}:stats:${name}`,
} as const;

/** What a stream leaves behind, and goes when its request is settled, in the order in which scripts take it. */
export function keysOfStream(requestId: string): readonly string[] {
  const { partial, followers } = redisKeys;
  return [partial(requestId, 'text'), partial(requestId, 'reasoning'), followers(requestId)];
}
