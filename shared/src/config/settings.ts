import { z } from 'zod';
import { readRedisAddress } from '../primary/redis-address.ts';
import type { SettingNotes } from './read-config.ts';

/** Settings that more than one service has. A service's own stand in its `config.ts`. */

/** Attaches an operator's notes to a setting. */
export function setting<Type extends z.ZodType>(schema: Type, notes: SettingNotes): Type {
  return schema.meta({ ...notes });
}

/** A whole number in a range, given as text. */
export function wholeNumber(least: number, most: number) {
  const rule = `must be a whole number from ${least} to ${most}`;
  return z
    .string()
    .regex(/^\d{1,15}$/, rule)
    .transform(Number)
    .refine((value) => value >= least && value <= most, rule);
}

/** One of some words. */
export function oneOf<const Words extends readonly [string, ...string[]]>(words: Words) {
  return z.enum(words, `must be ${words.slice(0, -1).join(', ')} or ${words.at(-1)}`);
}

/** `true` or `false`. */
export function trueOrFalse() {
  return oneOf(['true', 'false']).transform((value) => value === 'true');
}

/** A comma-separated list; blanks around items are cut. */
export function commaList() {
  return z.string().transform((text) =>
    text
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== ''),
  );
}

const redisUrl = z
  .string()
  .superRefine((text, context) => {
    try {
      readRedisAddress(text);
    } catch (error) {
      context.addIssue({ code: 'custom', message: (error as Error).message });
    }
  })
  // The path, and behind it what the client takes as options: ?username=…&password=….
  .transform((text) => (text.startsWith('unix:') ? new URL(text).pathname + new URL(text).search : text));

export const sharedSettings = {
  REDIS_URL: setting(redisUrl, {
    about:
      'The Redis (or Valkey) that holds jobs, keys, limits and statistics; for Sentinels redis+sentinel://user:password@host:26379,host:26379/NAME, for a cluster redis+cluster://host,host, each with rediss for TLS.',
    example: 'redis://127.0.0.1:6379',
    secret: true,
  }),
  REDIS_CA_FILE: setting(z.string().optional(), {
    about: 'For rediss: the PEM file of the certificate authority of Redis, if Node does not know it.',
    example: '/run/secrets/redis-ca.pem',
  }),
  REDIS_CERT_FILE: setting(z.string().optional(), {
    about: 'The PEM file of the client certificate, if Redis asks for one; its private key is in REDIS_KEY_FILE.',
    example: '/run/secrets/redis-client.pem',
  }),
  REDIS_KEY_FILE: setting(z.string().optional(), {
    about: 'The PEM file of the private key of REDIS_CERT_FILE.',
    example: '/run/secrets/redis-client-key.pem',
  }),
  LONTAR_HOME: setting(z.string().default('.lontar'), {
    about:
      'The folder where npm start keeps secrets, Redis data, uploads and logs. A relative path starts at the project folder.',
    example: '.lontar',
  }),
  MODELS_FILE: setting(z.string().optional(), {
    about:
      'The file of models and upstreams, the same for gateways and workers. If not set, the variables below define one upstream. See docs/models.md.',
    example: '/etc/lontar/models.yaml',
  }),
  LOG_LEVEL: setting(oneOf(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'), {
    about: 'The lowest level that is logged.',
    example: 'info',
  }),
  LOG_FILE: setting(z.string().optional(), {
    about:
      'The file that the service appends its standard output to and rotates: 10 MB, and four earlier files. npm start sets it.',
    example: '/var/log/lontar/gateway.log',
  }),
  LOG_CONTENT: setting(oneOf(['masked', 'off']).default('masked'), {
    about: "Whether the operator's log on the dashboard shows masked prompts and answers, or no text at all.",
    example: 'masked',
  }),
  METRICS_HOST: setting(z.string().default('127.0.0.1'), {
    about: 'The address that metrics and health probes listen on.',
    example: '127.0.0.1',
  }),
  METRICS_ADVERTISE: setting(z.string().optional(), {
    about:
      "The host name under which other instances reach this instance's metrics. If not set: METRICS_HOST, or the machine's name if that is 0.0.0.0.",
    example: 'worker-1',
  }),
  UPLOADS_PER_DAY: setting(wholeNumber(0, 1_000_000).prefault('20'), {
    about: 'Uploads that one address may make in a UTC day.',
    example: '20',
  }),
  INNER_SECRET: setting(z.string().min(32, 'must have at least 32 characters'), {
    about:
      'The secret with which the gateway and Prometheus prove to stats-service who they are; the same for all of them. Requests without it are refused.',
    example: 'the output of: openssl rand -base64 32',
    secret: true,
  }),
  ADMIN_API: setting(oneOf(['on', 'off']).default('on'), {
    about:
      'Whether there is an admin API, under /admin/v1: for admin tokens (lontar admin-tokens create) and operators who are signed in. It is off if either gateway or stats-service has it off.',
    example: 'off',
  }),
  DRAIN_TIMEOUT_MS: setting(wholeNumber(0, 600_000).prefault('25000'), {
    about: 'How long a stopping process may take to finish what it has begun, ms.',
    example: '25000',
  }),
  FREE_FAILURES_PER_HOUR: setting(wholeNumber(0, 1_000).prefault('5'), {
    about:
      'How many failures a key gets back in any hour if they may have cost the operator money (a stall, a timeout, an answer that is too large or cannot be read); further ones are charged. 0 charges all. Gateways and workers must have the same number.',
    example: '5',
  }),
  REQUEST_TIMEOUT_MS: setting(wholeNumber(1_000, 3_600_000).prefault('120000'), {
    about: 'The longest time that a caller waits for an answer, ms; this is the deadline of a job.',
    example: '120000',
  }),
} as const;

/** Where Redis is, and how services reach it. */
export const redisSettings = {
  REDIS_URL: sharedSettings.REDIS_URL,
  REDIS_CA_FILE: sharedSettings.REDIS_CA_FILE,
  REDIS_CERT_FILE: sharedSettings.REDIS_CERT_FILE,
  REDIS_KEY_FILE: sharedSettings.REDIS_KEY_FILE,
} as const;

/** How many replicas have to have a write before a caller is told of it. */
export const replicasAck = setting(
  oneOf(['0', '1', '2'])
    .default('0')
    .transform((text) => Number(text)),
  {
    about:
      'How many replicas of Redis must have a request before it is accepted, and an answer before it is sent. With 1 neither is lost with the primary. Use 0 for one Redis without replicas.',
    example: '0',
  },
);

/** The listener of metrics and probes; each service has its own default. */
export function metricsPort(byDefault: number) {
  return setting(wholeNumber(0, 65_535).prefault(String(byDefault)), {
    about: 'The port that metrics and health probes listen on; 0 takes a free one.',
    example: String(byDefault),
  });
}
