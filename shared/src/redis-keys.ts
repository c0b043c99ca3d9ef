/** All keys carry one hash tag, so that everything a script touches lives in one slot of a cluster. */
const TAG = '{lontar}';

/** Prefix that BullMQ puts before its own keys. */
export const QUEUE_PREFIX = TAG;

/** The name of every key that Lontar keeps in Redis (BullMQ's own aside), with its type and what it holds. */
export const redisKeys = {
  /** Hash: one API key's hash, state, limits, and counts of charged requests and of its UTC day. */
  apiKey: (keyId: string) => `${TAG}:key:${keyId}`,
  /** Sorted set: ids of all API keys, by time of creation. */
  apiKeyIndex: `${TAG}:keys`,
  /** List: sliding hour of a key (its form is told in admit.lua). */
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
  /** Hash: one request's result, kept for a while; before, the fence of a job that was started again. */
  request: (requestId: string) => `${TAG}:request:${requestId}`,
  /** Sorted set: ids of keys with reservations, by when the sweeper has to look at them, Unix ms. */
  keysInFlight: `${TAG}:keys-in-flight`,
  /** Hash: one upload's state and metadata; its content is in the upload storage. */
  upload: (uploadId: string) => `${TAG}:upload:${uploadId}`,
  /** Sorted set: ids of uploads in work or being removed, by when their lease ends, Unix ms. */
  openUploads: `${TAG}:open-uploads`,
  /** Stream: replies for one gateway instance. */
  inbox: (gateway: string) => `${TAG}:inbox:${gateway}`,
  /** Channel: ids of requests whose caller has left. */
  cancellations: `${TAG}:cancellations`,
  /** Stream: answered requests on their way to the statistics. */
  events: `${TAG}:events`,
  /** String with expiry: number of the last batch of events that one gateway instance appended. */
  eventProducer: (gateway: string) => `${TAG}:event-producer:${gateway}`,
  /** String: events that did not fit into the bounded stream. */
  eventsDropped: `${TAG}:events-dropped`,
  /** Hash: instance id to its record, for gateways and workers that are up. */
  instances: `${TAG}:instances`,
  /** String: written by health probes, because a write notices what PING does not. */
  probe: (instance: string) => `${TAG}:probe:${instance}`,
  /** String with expiry: uploads of one address on one UTC day (`2026-01-31`), those in work included. */
  uploads: (day: string, address: string) => `${TAG}:uploads:${day}:${address}`,
  /** Hash: `files`, `bytes` and `kind:<kind>` of everything stored by uploads. */
  uploadTotals: `${TAG}:upload-totals`,
  /** Whatever a restore tries whether this Redis can read it; gone at once. */
  restoreTrial: `${TAG}:restore-trial`,
  /** Prefix of everything that stats-service alone keeps. */
  stats: (name: string) => `${TAG}:stats:${name}`,
} as const;
