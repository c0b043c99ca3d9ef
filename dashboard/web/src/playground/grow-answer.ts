import type { ToolCall } from './call.ts';

/** Most characters of an answer that the page keeps; the rest is left out, and said so. */
export const MOST_TEXT = 1_000_000;
const MOST_CALLS = 128;
const MASK_TYPES = ['url', 'key', 'ip', 'connection'] as const;

/** What the service said instead of an answer, or in its midst. */
export interface Problem {
  /** HTTP status; absent where it came in a stream, or there was no answer at all. */
  readonly status?: number;
  readonly code: string;
  readonly message: string;
  /** `Retry-After`, seconds. */
  readonly retryAfter?: number;
}

type MaskedValues = Readonly<Record<(typeof MASK_TYPES)[number], number>>;

/** An answer as far as it has come. */
export interface Answer {
  readonly state: 'waiting' | 'growing' | 'whole' | 'stopped' | 'failed';
  readonly text: string;
  /** Whether the page left something out. */
  readonly isCut: boolean;
  /** What the model thought aloud. */
  readonly reasoning: string;
  readonly calls: readonly ToolCall[];
  readonly finishReason?: string;
  readonly model?: string;
  /** Values that were masked; their kinds where the service says them. */
  readonly masked?: number;
  readonly kinds?: MaskedValues;
  readonly usage?: { readonly prompt: number; readonly completion: number; readonly isEstimated: boolean };
  readonly requestId?: string;
  readonly problem?: Problem;
  /** From sending to the first piece of it, and to its end, ms. */
  readonly firstMs?: number;
  readonly ms?: number;
}

export const NO_ANSWER: Answer = { state: 'waiting', text: '', isCut: false, reasoning: '', calls: [] };

type Fields = Readonly<Record<string, unknown>>;

/**
 * Adds one event of a stream to an answer. What is not as it should be is left out: the page shows what it can.
 *
 * @param data JSON, or `[DONE]`
 * @param ms since the request was sent
 */
export function addEvent(answer: Answer, data: string, ms: number): Answer {
  if (data === '[DONE]') return answer.state === 'failed' ? answer : { ...answer, state: 'whole', ms };
  const chunk = parse(data);
  if (chunk === undefined) return answer;
  const problem = problemOf(chunk['error']);
  if (problem !== undefined) return { ...answer, state: 'failed', problem, ms };
  const [first] = listOf(chunk['choices']);
  const choice = fieldsOf(first);
  const delta = fieldsOf(choice['delta']);
  const grown = addCalls(addTexts(answer, delta), listOf(delta['tool_calls']));
  const isVisible = grown !== answer;
  const finishReason = textOf(choice['finish_reason']);
  const model = textOf(chunk['model']);
  const kinds = maskedOf(fieldsOf(chunk['lontar'])['masked']);
  const usage = usageOf(chunk['usage']);
  return {
    ...grown,
    ...(isVisible ? { state: 'growing', firstMs: answer.firstMs ?? ms } : {}),
    ...(finishReason === undefined ? {} : { finishReason }),
    ...(model === undefined ? {} : { model }),
    ...(kinds === undefined ? {} : { kinds, masked: MASK_TYPES.reduce((sum, type) => sum + kinds[type], 0) }),
    ...(usage === undefined ? {} : { usage }),
  };
}

/**
 * Reads the answer of an endpoint that answers in one piece.
 *
 * @param text the body
 */
export function addBody(answer: Answer, text: string, headers: Headers, ms: number): Answer {
  const body = parse(text) ?? {};
  const result = textOf(body['result']);
  if (result === undefined) return { ...answer, state: 'failed', ms, problem: UNREADABLE };
  const metadata = fieldsOf(body['metadata']);
  const finishReason = textOf(metadata['finish_reason']);
  const usage = usageOf(metadata['usage']);
  const model = headers.get('x-model');
  return {
    ...addTexts(answer, { content: result }),
    state: 'whole',
    ms,
    masked: Number(headers.get('x-masked')) || 0,
    ...(model === null ? {} : { model }),
    ...(finishReason === undefined ? {} : { finishReason }),
    ...(usage === undefined ? {} : { usage }),
  };
}

const UNREADABLE: Problem = { code: 'unreadable', message: 'The answer is not in the form of Lontar.' };

/** What a refusal says, in OpenAI's form or the service's own. */
export function readRefusal(status: number, text: string, headers: Headers): Problem {
  const body = parse(text) ?? {};
  const said = problemOf(body['error']);
  const own = textOf(body['message']);
  const wait = Number(headers.get('retry-after'));
  return {
    ...(said ?? (own === undefined ? UNREADABLE : { code: textOf(body['error']) ?? String(status), message: own })),
    status,
    ...(wait > 0 ? { retryAfter: wait } : {}),
  };
}

/** What is shorter says nothing of a pace, ms. */
const LEAST_MS = 100;

/** Tokens of the answer in a second, from its first piece to its end; absent where that cannot be said. */
export function tokensPerSecond({ usage, firstMs, ms }: Answer): number | undefined {
  if (usage === undefined || firstMs === undefined || ms === undefined || ms - firstMs < LEAST_MS) return undefined;
  return (usage.completion * 1_000) / (ms - firstMs);
}

function addTexts(answer: Answer, delta: Fields): Answer {
  const content = (textOf(delta['content']) ?? '') + (textOf(delta['refusal']) ?? '');
  const reasoning = textOf(delta['reasoning_content']) ?? '';
  if (content === '' && reasoning === '') return answer;
  const text = answer.text + content;
  const thought = answer.reasoning + reasoning;
  return {
    ...answer,
    text: text.slice(0, MOST_TEXT),
    reasoning: thought.slice(0, MOST_TEXT),
    isCut: answer.isCut || text.length > MOST_TEXT || thought.length > MOST_TEXT,
  };
}

/** Calls come in pieces: the first names the function, the others add to its arguments. */
function addCalls(answer: Answer, parts: readonly unknown[]): Answer {
  if (parts.length === 0) return answer;
  const calls = [...answer.calls];
  let isCut = answer.isCut;
  for (const part of parts.map(fieldsOf)) {
    const index = Number(part['index'] ?? calls.length);
    const known = calls[index];
    const named = fieldsOf(part['function']);
    const given = (known?.arguments ?? '') + (textOf(named['arguments']) ?? '');
    if (index > calls.length || !(index < MOST_CALLS) || given.length > MOST_TEXT) isCut = true;
    else {
      const id = textOf(part['id']) ?? known?.id ?? `call_${index}`;
      calls[index] = { id, name: textOf(named['name']) ?? known?.name ?? '', arguments: given };
    }
  }
  return { ...answer, calls, isCut };
}

function problemOf(error: unknown): Problem | undefined {
  const fields = fieldsOf(error);
  const message = textOf(fields['message']);
  if (message === undefined) return undefined;
  return { code: textOf(fields['code']) ?? textOf(fields['type']) ?? 'error', message };
}

function maskedOf(counts: unknown): MaskedValues | undefined {
  if (typeof counts !== 'object' || counts === null) return undefined;
  const fields = fieldsOf(counts);
  return {
    url: count(fields['url']),
    key: count(fields['key']),
    ip: count(fields['ip']),
    connection: count(fields['connection']),
  };
}

function usageOf(given: unknown): Answer['usage'] {
  if (typeof given !== 'object' || given === null) return undefined;
  const fields = fieldsOf(given);
  return {
    prompt: count(fields['prompt_tokens']),
    completion: count(fields['completion_tokens']),
    isEstimated: fields['is_estimated'] === true,
  };
}

function parse(text: string): Fields | undefined {
  try {
    return fieldsOf(JSON.parse(text));
  } catch {
    return undefined;
  }
}

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {};
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as readonly unknown[]) : [];
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function count(value: unknown): number {
  return typeof value === 'number' && value > 0 ? Math.round(value) : 0;
}
