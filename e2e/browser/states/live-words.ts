import type { FleetMember, LogRow, SnapshotMessage, Tiles, Trouble } from '@lontar/shared/dashboard-contract.ts';
import type { Outcome } from '@lontar/shared/request-event.ts';
import type { Page } from 'playwright-core';

/** Names as long as they may be, without a place to break them, and such as turn the direction of writing. */
export const LONG = {
  word: 'x'.repeat(100),
  name: 'A customer whose name is as long as a name of a customer may be, to the last of its hundred letters.',
  rightToLeft: 'متجر ١ اختبار <b>שלום</b> =cmd|calc',
  model: `vendor/${'a-model-with-a-long-name-'.repeat(3)}q4`,
  address: '2001:db8:85a3:1100:ffff:ffff:ffff:ffff',
} as const;

const TILES: Tiles = {
  at: Date.now(),
  requestsSinceReset: 0,
  requestsAllTime: 0,
  requestsToday: 0,
  activeUsers: 0,
  uniqueUsersToday: 0,
  uniqueUsersAllTime: 0,
  successesToday: 0,
  failuresToday: 0,
  clientErrorsToday: 0,
  errorsToday: 0,
  maskedToday: 0,
  outcomesToday: {},
  blockedAddresses: 0,
};
const MANY = 1_234_567_890;
const FULL_TILES: Tiles = {
  ...TILES,
  requestsSinceReset: MANY,
  resetAt: Date.now() - 86_400_000,
  requestsAllTime: MANY,
  requestsToday: MANY,
  activeUsers: 99_999,
  uniqueUsersToday: 99_999,
  uniqueUsersAllTime: MANY,
  responseMeanMs: 123_456,
  responseP95Ms: 987_654,
  successesToday: MANY,
  failuresToday: 98_765_432,
  clientErrorsToday: MANY,
  errorsToday: MANY,
  maskedToday: MANY,
  outcomesToday: { success: MANY, timeout: 98_765_432, shed: 12, rate_limited: 1_000_000 },
  blockedAddresses: 10_000,
};

const OUTCOMES: readonly (readonly [Outcome, number])[] = [
  ['success', 200],
  ['client_error', 400],
  ['unauthorized', 401],
  ['rate_limited', 429],
  ['blocked', 403],
  ['content_blocked', 422],
  ['timeout', 504],
  ['shed', 503],
  ['server_error', 502],
];

/** Rows of every outcome; the first has the longest of everything. */
export function logRows(): LogRow[] {
  return OUTCOMES.map(rowOf);
}

function rowOf([outcome, status]: (typeof OUTCOMES)[number], index: number): LogRow {
  return {
    cursor: `176984733${index}123-0`,
    id: `req_${String(index).padStart(22, 'A')}`,
    at: Date.now() - index * 60_000,
    route: '/api/ai',
    method: 'POST',
    status,
    outcome,
    ms: index === 0 ? 123_456 : 800,
    address: index === 0 ? LONG.address : '203.0.113.9',
    keyId: 'A1b2C3d4E5',
    keyName: index === 0 ? LONG.name : index === 1 ? LONG.rightToLeft : LONG.word,
    endpoint: '/v1/chat/completions',
    model: index === 0 ? LONG.model : 'ai-2.5-flash',
    ...(outcome === 'success' ? { masked: { url: 12, key: 345, ip: 6, connection: 7 }, finishReason: 'length' } : {}),
    ...(outcome === 'unauthorized' ? { count: 12_345 } : {}),
    message: 'The model did not give an answer. Try again later.',
    charged: index % 2 === 0,
    tokens: { input: 1_234_567, output: 7_654_321 },
    upstream: `a-far-away-upstream/${LONG.model}`,
    attempts: 3,
    queuedMs: 1_200,
    modelMs: 80_000,
    maskMs: 12.3,
    ...(status >= 500 ? { cause: { reason: 'timed_out', upstreamHost: 'llm.internal', upstreamStatus: 504 } } : {}),
  };
}

const member = (service: FleetMember['service'], index: number, more: Partial<FleetMember> = {}): FleetMember => ({
  id: `${service}-0123456789ab${index}`,
  service,
  version: '10.20.30-beta.4',
  startedAt: Date.now() - 90_061_000,
  inFlight: 12_345,
  draining: false,
  memoryBytes: 1_234_567_890,
  eventLoopP99Ms: 123.4,
  ...(service === 'gateway' ? { addressPerHour: 100 } : {}),
  ...more,
});

const MODEL = { provider: 'openai', lastOutcome: 'failed', at: Date.now() } as const;
const TOTALS = {
  modelCalls: MANY,
  modelErrors: MANY,
  modelRetries: MANY,
  modelMeanMs: 812,
  jobsStalled: 1,
  secretsMasked: MANY,
  maskingFailures: 2,
  maskingMeanMs: 0.12,
  streams: {
    open: 1_000,
    begun: MANY,
    firstByteMeanMs: 250,
    lagMeanMs: 12,
    broken: 3,
    gapsFilled: 4,
    resumed: 5,
    left: 6,
    cut: 7,
  },
};

/** A service that has just been set up. */
export function emptySnapshot(): SnapshotMessage {
  return {
    at: Date.now(),
    version: '0.1.0',
    signedIn: true,
    logContent: true,
    tiles: { ok: true, data: { ...TILES, at: Date.now() } },
    moments: { ok: true, data: [] },
    fleet: { ok: true, data: { members: [member('gateway', 1), member('worker', 2, { slots: 20 })], totals: TOTALS } },
    troubles: [],
    log: { ok: true, data: [] },
  };
}

/** A service with much of everything, and the longest names. */
export function fullSnapshot(): SnapshotMessage {
  const now = Date.now();
  return {
    ...emptySnapshot(),
    tiles: { ok: true, data: { ...FULL_TILES, at: now } },
    moments: {
      ok: true,
      data: Array.from({ length: 360 }, (_, index) => ({
        at: now - (360 - index) * 10_000,
        outcomes: { success: 900 + ((index * 37) % 400), timeout: index % 40, rate_limited: index % 70 },
        p95Ms: 800 + ((index * 91) % 3_000),
        waiting: (index * 13) % 900,
        oldestWaitingMs: (index * 31) % 12_000,
      })),
    },
    fleet: {
      ok: true,
      data: {
        members: [
          member('gateway', 1),
          member('gateway', 2, { draining: true }),
          member('worker', 3, { slots: 20_000, lastProgressAt: now - 61_000, model: MODEL }),
          member('worker', 4, { slots: 20, failing: 'no progress for 312 s while 1042 jobs wait' }),
          member('stats-service', 5),
        ],
        totals: TOTALS,
        upstreams: [
          upstream('gemini', { state: 'open', openUntil: new Date(now + 30_000).toISOString() }),
          upstream(LONG.model.slice(0, 60), { leftAloneUntil: new Date(now + 90_000).toISOString() }),
        ],
      },
    },
    troubles: allTroubles(),
    log: { ok: true, data: logRows() },
  };
}

function upstream(name: string, more: object) {
  const nothing = { reason: null, openUntil: null, leftAloneUntil: null, adaptiveLimit: null };
  const limits = { maxInFlight: 300, requestsPerMinute: 1_000, tokensPerMinute: null, context: null };
  return {
    ...{ name, provider: 'openai' as const, state: 'closed' as const, inFlight: 1_234, placesUsed: 300 },
    ...nothing,
    ...limits,
    ...more,
  };
}

/** Every kind, so that each sentence is seen. */
function allTroubles(): Trouble[] {
  const since = Date.now() - 600_000;
  const names = `gemini, anthropic, ${LONG.model}`;
  const trouble = (id: Trouble['id'], what: string, more: Partial<Trouble> = {}): Trouble => ({
    ...{ id, what, isDown: false, whom: 'all callers', since, runbook: 'model-down' },
    ...more,
  });
  const parts = { some: 1, all: 4, names, share: 35, cause: 'timed out, llm.internal, HTTP 504.' };
  return [
    trouble('no_workers', 'No worker is up: requests wait, and end with 504.', { isDown: true }),
    trouble('model_failing', 'Calls to the model fail: timed out, llm.internal, HTTP 504.', { parts, isDown: true }),
    trouble('upstreams_open', `Upstreams failed, and get no calls but those that try them: ${names}.`, { parts }),
    trouble('models_file_broken', 'The file of models was changed and is broken: 1 of 4 processes …', {
      parts,
      runbookUrl: 'https://git.example.com/runbooks/models-file-broken.md',
    }),
  ];
}

/** What a page is sent by its live stream, and then nothing more. */
export type Sent = SnapshotMessage | 'nothing';

/** Puts another EventSource into the page: open from the beginning, with what it is to say, and never again. */
export async function stream(page: Page, sent: Sent): Promise<void> {
  await page.addInitScript((message) => {
    let hasSpoken = false;
    class SilentSource extends EventTarget {
      private isClosed = false;
      constructor() {
        super();
        setTimeout(() => {
          // A slow page may give its first connection up before that has spoken: then the next one does.
          if (message === 'nothing' || hasSpoken || this.isClosed) return;
          hasSpoken = true;
          this.dispatchEvent(new Event('open'));
          this.dispatchEvent(new MessageEvent('snapshot', { data: JSON.stringify(message) }));
        }, 0);
      }
      close(): void {
        this.isClosed = true;
      }
    }
    Object.assign(globalThis, { EventSource: SilentSource });
  }, sent);
}
