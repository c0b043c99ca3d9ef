import {
  commaList,
  metricsPort,
  oneOf,
  redisSettings,
  setting,
  sharedSettings,
  wholeNumber,
} from '@lontar/shared/config/settings.ts';
import { PUBLIC_MODELS } from '@lontar/shared/endpoints.ts';
import { showHidden } from '@lontar/shared/hidden-characters.ts';
import { z } from 'zod';

const modelNames = z.partialRecord(z.enum(PUBLIC_MODELS), z.string().min(1));

const isPublic = (name: string) => PUBLIC_MODELS.some((model) => model === name);

const modelMap = z.string().transform((text, context) => {
  const given = parseJson(text);
  const parsed = modelNames.safeParse(given);
  if (parsed.success) return parsed.data;
  const unknown = Object.keys(z.looseObject({}).safeParse(given).data ?? {}).find((name) => !isPublic(name));
  context.addIssue({
    code: 'custom',
    message:
      `must be a JSON object from public to upstream names; the public names are ${PUBLIC_MODELS.join(', ')}` +
      (unknown === undefined ? '' : `, and ${showHidden(unknown).slice(0, 60)} is none of them`),
  });
  return z.NEVER;
});

const httpUrl = z.url({ protocol: /^https?$/, error: 'must be an http:// or https:// URL' });

function persona(text: string, about: string) {
  return setting(z.string().min(1).default(text), { about, example: 'You are a friendly shop assistant.' });
}

/** The worker's settings. */
export const workerSettings = z.object({
  ...redisSettings,
  METRICS_PORT: metricsPort(9465),
  METRICS_HOST: sharedSettings.METRICS_HOST,
  METRICS_ADVERTISE: sharedSettings.METRICS_ADVERTISE,
  WORKER_CONCURRENCY: setting(wholeNumber(1, 10_000).prefault('1000'), {
    about: 'How many jobs this worker runs at once. Unused places cost nothing.',
    example: '1000',
  }),
  MODELS_FILE: sharedSettings.MODELS_FILE,
  MODEL_PROVIDER: setting(oneOf(['auto', 'gemini', 'openai', 'demo']).default('auto'), {
    about:
      'Which kind of upstream answers. auto takes gemini if its key is set, else openai if its URL is set, else the demo model.',
    example: 'gemini',
  }),
  MODEL_MAP: setting(modelMap.optional(), {
    about: 'Upstream names of the public models.',
    example: '{"ai-2.5-flash":"gpt-4.1-mini","ai-2.5-pro":"gpt-4.1"}',
  }),
  MODEL_TIMEOUT_MS: setting(wholeNumber(100, 3_600_000).prefault('60000'), {
    about: 'How long one model attempt may take, ms; it also ends at the deadline of the request.',
    example: '60000',
  }),
  MAX_ANSWER_BYTES: setting(wholeNumber(1_024, 1_073_741_824).prefault('8388608'), {
    about:
      'The largest upstream response that is read, in bytes (8388608 is 8 MB). In a stream only text and tool calls count.',
    example: '8388608',
  }),
  GEMINI_API_KEY: setting(z.string().optional(), {
    about: 'The key for Gemini.',
    example: 'the-key-from-the-Google-AI-Studio',
    secret: true,
  }),
  GEMINI_BASE_URL: setting(httpUrl.default('https://generativelanguage.googleapis.com/v1beta'), {
    about: 'Where Gemini answers.',
    example: 'https://generativelanguage.googleapis.com/v1beta',
  }),
  OPENAI_BASE_URL: setting(httpUrl.optional(), {
    about:
      'The base URL of any server that speaks the OpenAI protocol: OpenAI, vLLM, Ollama, llama.cpp, LiteLLM, OpenRouter.',
    example: 'http://127.0.0.1:11434/v1',
  }),
  OPENAI_API_KEY: setting(z.string().optional(), {
    about: 'The key for OPENAI_BASE_URL; leave it empty if the server needs none.',
    example: 'the-key-that-the-upstream-gave-you',
    secret: true,
  }),
  OPENAI_STREAM: setting(oneOf(['auto', 'always', 'never']).default('auto'), {
    about:
      'Whether OPENAI_BASE_URL is asked for streams. auto: for answers that are streamed to the caller, and for servers that would otherwise go on working after a caller has disconnected (llama.cpp, LiteLLM).',
    example: 'auto',
  }),
  PERSONA_AI: persona(
    'You are a chat bot in a messaging app. Answer briefly and conversationally, in the language of the user.',
    'System prompt of /api/ai.',
  ),
  PERSONA_AI2: persona(
    'You are a general-purpose AI. Answer accurately and completely, in the language of the user.',
    'System prompt of /api/ai2.',
  ),
  PERSONA_AI3: persona(
    'You are a helpful assistant. Answer kindly and clearly, step by step where it helps, in the language of the user.',
    'System prompt of /api/ai3.',
  ),
  MASK_HOSTS: setting(commaList().prefault(''), {
    about: 'More hosts that are always masked.',
    example: 'intranet.example.org,billing.example.org',
  }),
  MASK_ALLOW_HOSTS: setting(commaList().prefault(''), {
    about: 'Hosts that are never masked.',
    example: 'api.github.com',
  }),
  MASK_RULES_FILE: setting(z.string().optional(), {
    about: 'A JSON file with your own token forms, hosts and exemptions for masking; see docs/masking.md.',
    example: '/etc/lontar/mask-rules.json',
  }),
  FREE_FAILURES_PER_HOUR: sharedSettings.FREE_FAILURES_PER_HOUR,
  DRAIN_TIMEOUT_MS: sharedSettings.DRAIN_TIMEOUT_MS,
  LOG_LEVEL: sharedSettings.LOG_LEVEL,
  LOG_FILE: sharedSettings.LOG_FILE,
  LOG_CONTENT: sharedSettings.LOG_CONTENT,
});

export type WorkerConfig = z.infer<typeof workerSettings>;

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
