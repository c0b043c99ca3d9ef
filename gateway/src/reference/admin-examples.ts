import type { AdminOperationId } from '@lontar/shared/admin/admin-operations.ts';
import { EXAMPLE_KEY } from '@lontar/shared/admin/admin-schemas.ts';
import { NO_USAGE } from '@lontar/shared/usage/usage-counts.ts';
import { SERVICE_STATS_EXAMPLE, USAGE_EXAMPLE } from './utility-examples.ts';

/** Examples of what the admin API takes and gives; a test holds them against the schemas. */

const TIME = '2026-01-31T08:15:30.123Z';
/** Of the form of a key, and none: its checksum does not fit. */
const KEY = `lt_live_${EXAMPLE_KEY.id}_${'x'.repeat(38)}`;
const QUEUE = { paused: false, waiting: 2, active: 5, delayed: 0, failed: 0, oldestWaitingAgeMs: 120 };
const BAN = { address: '203.0.113.9', reason: 'operator', until: TIME };

const USAGE_ROW = {
  key: EXAMPLE_KEY.id,
  name: EXAMPLE_KEY.name,
  owner: EXAMPLE_KEY.owner,
  date: '2026-01-31',
  model: 'ai-2.5-flash',
  ...NO_USAGE,
  requests: 12,
  successes: 11,
  rateLimited: 1,
  promptTokens: 1_204,
  completionTokens: 5_310,
  masked: 2,
};

export const ADMIN_BODIES = {
  createKey: { name: 'order 1042', owner: 'anna@example.com', credits: 500, expiresAt: '2027-01-31T00:00:00Z' },
  updateKey: { credits: 1_000 },
  rotateKey: { overlapSeconds: 3_600 },
  blockAddress: { address: '203.0.113.9', seconds: 3_600 },
} as const satisfies Partial<Record<AdminOperationId, object>>;

export const ADMIN_RESULTS: Readonly<Record<AdminOperationId, unknown>> = {
  listKeys: { keys: [EXAMPLE_KEY], unreadable: [], cursor: null },
  createKey: { ...EXAMPLE_KEY, key: KEY },
  showKey: EXAMPLE_KEY,
  updateKey: { ...EXAMPLE_KEY, credits: 1_000, version: 2 },
  rotateKey: { ...EXAMPLE_KEY, oldKeyUntil: TIME, version: 3, key: KEY },
  revokeKey: { ...EXAMPLE_KEY, state: 'revoked', revokedAt: TIME, version: 4 },
  deleteKey: { id: EXAMPLE_KEY.id, deleted: true },
  listUsage: { rows: [USAGE_ROW], cursor: null },
  downloadUsage: '',
  showCounters: { usage: USAGE_EXAMPLE.result, stats: SERVICE_STATS_EXAMPLE.result },
  listModels: {
    catalog: { source: 'file', digest: '0f1e2d3c4b5a6978', agreed: true, broken: false, modelsLeftOut: 0 },
    models: [
      {
        name: 'ai-2.5-flash',
        inCatalog: true,
        aliases: ['fast'],
        requests: 38_001,
        serverErrors: 12,
        timeouts: 3,
        routesUp: 1,
        deadlines: { connectMs: 10_000, firstTokenMs: 60_000, idleMs: 60_000, totalMs: 3_600_000 },
        price: { input: 0.3, output: 2.5 },
        hedgeAfter: null,
        routes: [
          {
            upstream: 'gemini',
            model: 'gemini-2.5-flash',
            weight: 3,
            order: 1,
            up: true,
            lately: {
              calls: { answered: 120, failed: 2, stalled: 0, limited: 1, unauthorized: 0, unknown: 0 },
              errorShare: 0.0164,
              p50Ms: 800,
              p95Ms: 2_100,
              firstTokenP50Ms: 210,
              firstTokenP95Ms: 600,
            },
          },
        ],
      },
    ],
    upstreams: [
      {
        name: 'gemini',
        provider: 'gemini',
        state: 'closed',
        reason: null,
        openUntil: null,
        leftAloneUntil: null,
        inFlight: 12,
        placesUsed: 12,
        maxInFlight: 300,
        adaptiveLimit: null,
        requestsPerMinute: 1_000,
        tokensPerMinute: null,
        context: null,
      },
    ],
    workers: [
      {
        id: 'worker-1a2b3c4d5e6f',
        version: '0.1.0',
        inFlight: 5,
        slots: 1_000,
        draining: false,
        provider: 'gemini',
        lastOutcome: 'ok',
      },
    ],
    calls: { total: 40_120, errors: 41, retries: 97, meanMs: 812 },
  },
  showQueue: QUEUE,
  pauseQueue: { ...QUEUE, paused: true },
  resumeQueue: QUEUE,
  listBans: { bans: [BAN] },
  blockAddress: BAN,
  liftBan: { address: BAN.address, lifted: true },
  listSessions: {
    sessions: [
      { id: '0a1b2c3d4e5f', address: '192.0.2.1', by: 'token', signedInAt: TIME, lastSeenAt: TIME, expiresAt: TIME },
    ],
  },
  endSession: { id: '0a1b2c3d4e5f', ended: true },
  readAudit: {
    entries: [
      {
        id: '1769847330123-0',
        at: TIME,
        actor: { by: 'token', id: 'B1b2C3d4E5', name: 'shop', from: '192.0.2.7' },
        action: 'key.update',
        target: EXAMPLE_KEY.id,
        outcome: 'done',
        before: { credits: '500' },
        after: { credits: '1000' },
      },
    ],
    next: null,
  },
};
