import { BlockList, isIP } from 'node:net';
import { withoutSlashesAtEnd } from '@lontar/shared/base-url.ts';
import {
  metricsPort,
  oneOf,
  redisSettings,
  replicasAck,
  setting,
  sharedSettings,
  trueOrFalse,
  wholeNumber,
} from '@lontar/shared/config/settings.ts';
import { z } from 'zod';
import { uploadSettings, uploadSettingsProblem } from './uploads/upload-settings.ts';

const pepper = setting(z.string().min(32, 'must have at least 32 characters'), {
  about: 'The secret under which API keys are hashed. Changing it makes every key invalid.',
  example: 'the output of: openssl rand -base64 32',
  secret: true,
});

/** Hop count, or a list of addresses and networks; anything else would let callers choose their own address. */
const trustProxy = z
  .string()
  .refine(
    isTrustProxy,
    'must be the number of proxies in front (1 to 10), or their addresses or networks with commas; "true" or a network of all addresses (/0) would let callers choose their own address',
  )
  .transform((text) => (/^\d+$/.test(text) ? Number(text) : text.split(',').map((item) => item.trim())));

const settings = z.object({
  ...redisSettings,
  REDIS_REPLICAS_ACK: replicasAck,
  PORT: setting(wholeNumber(0, 65_535).prefault('8080'), {
    about: 'The port that callers use; 0 takes a free one.',
    example: '8080',
  }),
  HOST: setting(z.string().default('127.0.0.1'), {
    about: 'The address to listen on; 0.0.0.0 listens on all.',
    example: '0.0.0.0',
  }),
  METRICS_PORT: metricsPort(9464),
  METRICS_HOST: sharedSettings.METRICS_HOST,
  METRICS_ADVERTISE: sharedSettings.METRICS_ADVERTISE,
  STATS_URL: setting(
    z.url({ protocol: /^https?$/, error: 'must be an http:// URL' }).default('http://127.0.0.1:8090'),
    {
      about: 'Where stats-service answers.',
      example: 'http://127.0.0.1:8090',
    },
  ),
  INNER_SECRET: sharedSettings.INNER_SECRET,
  KEY_PEPPER: pepper,
  TRUST_PROXY: setting(trustProxy.optional(), {
    about:
      'The proxies whose X-Forwarded-For is believed. Name no other addresses: a client with such an address can claim any address. If not set, the address of the connection counts.',
    example: '172.18.0.1',
  }),
  MAX_CONNECTIONS_PER_ADDRESS: setting(wholeNumber(1, 1_000_000).prefault('200'), {
    about:
      'Connections that one address may have open. For callers behind a proxy of TRUST_PROXY: requests that one caller may have open.',
    example: '200',
  }),
  MAX_CONNECTIONS: setting(wholeNumber(1, 1_000_000).optional(), {
    about:
      'Connections that all clients together may have open at one gateway. If not set: as many as its heap and open files allow.',
    example: '10000',
  }),
  RATE_LIMIT_PER_HOUR: setting(wholeNumber(1, 1_000_000).prefault('100'), {
    about: 'Requests under /api/ and /v1/ that one address may make in any 3,600 seconds.',
    example: '100',
  }),
  BAN_AFTER_BAD_KEYS: setting(wholeNumber(0, 10_000).prefault('20'), {
    about: 'After how many bad keys within 10 minutes an address is banned for an hour; 0 never bans.',
    example: '20',
  }),
  MODELS_FILE: sharedSettings.MODELS_FILE,
  MAX_PROMPT_CHARS: setting(wholeNumber(1, 1_000_000).prefault('32000'), {
    about: 'The longest prompt of /api/ai, /api/ai2 and /api/ai3, in characters.',
    example: '32000',
  }),
  MAX_CONTEXT_CHARS: setting(wholeNumber(1, 100_000_000).prefault('1000000'), {
    about: 'The longest request to /v1/chat/completions, in characters: messages and tools together, without images.',
    example: '1000000',
  }),
  MAX_BODY_BYTES: setting(wholeNumber(1_024, 67_108_864).prefault('4194304'), {
    about:
      'The longest request body under /v1, in bytes (4194304 is 4 MB). A gateway holds at least four of them at once, whatever its heap.',
    example: '4194304',
  }),
  MAX_OUTPUT_TOKENS: setting(wholeNumber(1, 1_000_000).prefault('65536'), {
    about: 'The largest maxOutputTokens that a caller may ask for.',
    example: '65536',
  }),
  PUBLIC_URL: setting(
    z
      .url({ protocol: /^https?$/, error: 'must be an http:// or https:// URL' })
      .transform(withoutSlashesAtEnd)
      .optional(),
    {
      about:
        'The address under which callers reach the gateway, for links. If not set: the address that each caller used.',
      example: 'https://llm.example.com',
    },
  ),
  UTILITY_ENDPOINTS: setting(oneOf(['open', 'key', 'operator']).default('open'), {
    about:
      'Who may read the counters at /api/usage and /api/stats: all callers, those with an active API key, or the operator alone (signed in, or with DASHBOARD_TOKEN as bearer). Unless it is open, /api/health gives no numbers. DASHBOARD_PUBLIC of stats-service decides the same for the dashboard: to hide the counters, set both.',
    example: 'operator',
  }),
  ADMIN_API: sharedSettings.ADMIN_API,
  ADMIN_PORT: setting(wholeNumber(0, 65_535).optional(), {
    about:
      'A separate port for the admin API, which PORT then does not serve; 0 takes a free one. If not set, the admin API is at PORT.',
    example: '8081',
  }),
  ADMIN_HOST: setting(z.string().default('127.0.0.1'), {
    about: 'The address that ADMIN_PORT listens on.',
    example: '127.0.0.1',
  }),
  ...uploadSettings,
  REQUEST_TIMEOUT_MS: sharedSettings.REQUEST_TIMEOUT_MS,
  FREE_FAILURES_PER_HOUR: sharedSettings.FREE_FAILURES_PER_HOUR,
  QUEUE_MAX_WAITING: setting(wholeNumber(1, 1_000_000).prefault('1000'), {
    about: 'Jobs that may wait at most; further requests get 503 at once.',
    example: '1000',
  }),
  QUEUE_MAX_BYTES: setting(wholeNumber(1_048_576, 4_294_967_296).prefault('134217728'), {
    about:
      'How much of Redis all waiting and running conversations of 64 KB and more may take together, in bytes (134217728 is 128 MB); a further one gets 503 at once. For shorter ones QUEUE_MAX_WAITING is the limit.',
    example: '134217728',
  }),
  DRAIN_TIMEOUT_MS: sharedSettings.DRAIN_TIMEOUT_MS,
  DRAIN_NOTICE_MS: setting(wholeNumber(0, 60_000).prefault('0'), {
    about:
      'How long a stopping gateway still accepts requests while it is not ready, ms. It must be longer than the interval at which the load balancer checks.',
    example: '5000',
  }),
  LOG_LEVEL: sharedSettings.LOG_LEVEL,
  LOG_FILE: sharedSettings.LOG_FILE,
  LOG_REQUESTS: setting(trueOrFalse().prefault('true'), {
    about:
      'Whether each answered request is logged as a line. Refused ones share a line a second for each address and reason.',
    example: 'true',
  }),
});

/** The gateway's settings. */
export const gatewaySettings = settings.superRefine((config, context) => {
  const problem = uploadSettingsProblem(config);
  if (problem) context.addIssue({ code: 'custom', path: [problem.name], message: problem.message });
});

export type GatewayConfig = z.infer<typeof gatewaySettings>;

function isTrustProxy(text: string): boolean {
  if (/^\d+$/.test(text)) return Number(text) >= 1 && Number(text) <= 10;
  return text.split(',').every((item) => isAddressOrNetwork(item.trim()));
}

function isAddressOrNetwork(text: string): boolean {
  const [address = '', length, ...rest] = text.split('/');
  const version = isIP(address);
  if (version === 0 || rest.length > 0) return false;
  if (length === undefined) return true;
  if (!/^[1-9]\d*$/.test(length)) return false;
  try {
    new BlockList().addSubnet(address, Number(length), version === 4 ? 'ipv4' : 'ipv6');
    return true;
  } catch {
    return false;
  }
}
