import { successBody } from '@lontar/shared/http/envelope.ts';
import { type OwnKey, ownKeySchema } from '../own-key/own-key-schema.ts';
import { envelope } from './answer-schemas.ts';
import { LIMIT_HEADERS } from './headers.ts';
import { errors, type Operation } from './operation.ts';

const TODAY = {
  requests: 40,
  successes: 39,
  errors: 1,
  masked: 3,
  left: 0,
  prompt_tokens: 9_120,
  completion_tokens: 20_455,
  estimated_tokens: 0,
};

const EXAMPLE: OwnKey = {
  id: 'A1b2C3d4E5',
  name: 'shop',
  created_at: '2026-01-02T09:00:00.000Z',
  expires_at: null,
  limits: {
    requests_per_hour: { limit: 60, used: 12, remaining: 48, reset: 1_769_850_000 },
    requests_per_day: null,
    credits: { limit: 1_000, used: 412, remaining: 588 },
    concurrency: { limit: 10, used: 1, remaining: 9 },
    upload_bytes: { limit: 1_073_741_824, used: 2_048, remaining: 1_073_739_776 },
    address_requests_per_hour: { limit: 100, used: 13, remaining: 87, reset: 1_769_850_010 },
  },
  models: ['ai-2.5-flash', 'ai-2.5-pro'],
  max_output_tokens: null,
  masking: { types: ['url', 'key', 'ip', 'connection'], keep_own: false },
  on_disconnect: 'abort',
  old_key_until: null,
  usage: {
    timezone: 'UTC',
    today: TODAY,
    last_30_days: {
      ...TODAY,
      requests: 431,
      successes: 412,
      errors: 19,
      masked: 30,
      prompt_tokens: 98_000,
      completion_tokens: 211_300,
    },
  },
};

const COUNTED = ['Cache-Control', ...LIMIT_HEADERS] as const;

/** `GET /api/key`. */
export const OWN_KEY_OPERATION: Operation = {
  id: 'ownKey',
  method: 'get',
  path: '/api/key',
  tag: 'Utility',
  summary: 'What your API key may do, what is left of it, and what it has used',
  description:
    'Send the key itself. This costs it no credit, but counts as a request of your address. The usage is a few seconds old. The page /me shows the same.',
  key: 'needed',
  parameters: [],
  responses: {
    ...errors([400, 401, 403, 408, 414, 429, 431, 503], COUNTED),
    200: {
      description: 'Your key.',
      schemas: [envelope(200, ownKeySchema)],
      example: successBody(200, EXAMPLE),
      headers: COUNTED,
    },
  },
};
