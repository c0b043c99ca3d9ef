import { successBody } from '@lontar/shared/http/envelope.ts';
import type { Health } from '@lontar/shared/utility-answers.ts';

/** Examples of what the utility endpoints answer; a test holds them against the schemas. */

const DAY = {
  requests: 1204,
  successes: 1180,
  client_errors: 21,
  server_errors: 3,
  masked: 97,
  unique_ips: 58,
  unique_users: 12,
};
const TOTAL = { ...DAY, requests: 40_512, successes: 39_870, client_errors: 601, server_errors: 41, masked: 2_950 };
const TIME = '2026-01-31T08:15:30.123Z';
const success = (result: unknown) => successBody(200, result);

export const CHECK_LIMIT_EXAMPLE = { used: 3, remaining: 17, limit: 20, reset: 1_769_904_000 };

export const CHECK_LIMIT_REACHED_EXAMPLE = {
  message: 'All 20 uploads of today are used. The count starts anew at 00:00 UTC.',
  used: 20,
  remaining: 0,
  limit: 20,
};

export const USAGE_EXAMPLE = success({
  timezone: 'UTC',
  today: DAY,
  total: TOTAL,
  days: [{ date: '2026-01-31', ...DAY }],
  endpoints: { '/api/ai': 20_004, '/api/ai2': 7_311, '/api/ai3': 3_197, '/v1/chat/completions': 10_000 },
  statuses: { 200: 39_870, 400: 412, 429: 189, 502: 41 },
});

export const SERVICE_STATS_EXAMPLE = success({
  total_files: 214,
  total_storage_bytes: 48_230_112,
  uploads_by_kind: { file: 150, code: 44, private: 20 },
  total_requests: TOTAL.requests,
  total_users: 31,
  keys_by_state: { active: 27, expired: 3, revoked: 5 },
  masked_by_type: { url: 1_804, key: 702, ip: 391, connection: 53 },
});

export const HEALTH_EXAMPLE: Health = {
  status: 'ok',
  version: '0.1.0',
  uptime_seconds: 86_400,
  timestamp: TIME,
  redis: { status: 'ok', write_ms: 0.4 },
  queue: { status: 'ok', waiting: 2, active: 5, delayed: 0, paused: false, oldest_waiting_age_ms: 120 },
  gateways: { status: 'ok', instances: 2 },
  workers: { status: 'ok', instances: 2, failing: 0, slots: 20, free_slots: 15, last_progress: TIME },
  model: { status: 'ok', provider: 'gemini', last_outcome: 'ok', at: TIME },
  models: {
    'ai-2.5-flash': { status: 'ok', routes: 3, up: 3 },
    'ai-2.5-pro': { status: 'degraded', routes: 2, up: 1 },
  },
  stats: { status: 'ok', lag_ms: 40 },
  endpoints: { '/api/ai': 'ok', '/api/ai2': 'ok', '/api/ai3': 'ok', '/v1/chat/completions': 'ok', '/v1/models': 'ok' },
};

export const HEALTH_DOWN_EXAMPLE: Health = {
  ...HEALTH_EXAMPLE,
  status: 'down',
  workers: {
    status: 'down',
    reason: 'no worker is up',
    instances: 0,
    failing: 0,
    slots: 0,
    free_slots: 0,
  },
  endpoints: {
    '/api/ai': 'down',
    '/api/ai2': 'down',
    '/api/ai3': 'down',
    '/v1/chat/completions': 'down',
    '/v1/models': 'ok',
  },
};
