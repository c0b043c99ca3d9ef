/** What an upstream says in an error body, whatever its dialect. */
export interface UpstreamSaid {
  /** Codes, types and reasons, as they stand. */
  readonly words: readonly string[];
  /** An HTTP status that stands in the body, as a number or as text. */
  readonly status: number | undefined;
  /** The parameter that it finds wrong. */
  readonly param: string | undefined;
  readonly message: string;
  /** All of it, parsed; undefined where it is no JSON. */
  readonly body: unknown;
}

/** Error bodies are read so far; what matters stands at their beginning. */
const MOST_CHARS = 65_536;
const MOST_DETAILS = 20;
const MOST_DEPTH = 3;

type Json = Readonly<Record<string, unknown>>;

/**
 * Reads an error body: `{error: {message, type, code, param}}` (OpenAI, vLLM, llama.cpp, Gemini with a `status` and
 * details), `{error: "…"}` (TGI, Ollama), `{errors: […]}` (Cloudflare), `{detail: …}` (FastAPI, KoboldCpp), `{message, type,
 * code}` (Mistral, old vLLM), a list of one of these (Gemini), or text that is no JSON. OpenRouter writes what another
 * server said as text beside its own words. Never throws.
 */
export function readUpstreamSaid(text: string | undefined): UpstreamSaid {
  const parsed = parseJson(text);
  return parsed === undefined ? { ...NOTHING, message: plainText(text ?? '') } : readParsed(parsed);
}

const NOTHING: UpstreamSaid = { words: [], status: undefined, param: undefined, message: '', body: undefined };

/** As `readUpstreamSaid`, of a body that is parsed. */
export function readParsed(parsed: unknown): UpstreamSaid {
  const said = readOwn(parsed);
  const error = asObject(asObject(firstOf(parsed))?.['error']);
  const raw = asObject(error?.['metadata'])?.['raw'];
  if (typeof raw !== 'string') return said;
  const behind = readOwn(parseJson(raw) ?? raw);
  return {
    ...said,
    words: [...said.words, ...behind.words],
    param: said.param ?? behind.param,
    message: [said.message, behind.message].filter(Boolean).join(': ').slice(0, MOST_CHARS),
  };
}

function readOwn(parsed: unknown): UpstreamSaid {
  const body = asObject(firstOf(parsed));
  if (body === undefined) return { ...NOTHING, message: messageOf(parsed), body: parsed };
  const inner = firstOf(body['error'] ?? body['errors']);
  const error = asObject(inner) ?? body;
  const details = Array.isArray(error['details']) ? error['details'].slice(0, MOST_DETAILS) : [];
  const words = [error['code'], error['type'], error['status'], body['error_type'], body['code'], body['type']];
  return {
    words: [...words, ...details.map((detail) => asObject(detail)?.['reason'])].filter(
      (word) => typeof word === 'string',
    ),
    status: statusOf(error['code']) ?? statusOf(body['code']),
    param: typeof error['param'] === 'string' ? error['param'] : undefined,
    message:
      [error['message'], inner, body['message'], body['detail']]
        .map((value) => messageOf(value))
        .find((words) => words !== '') ?? '',
    body,
  };
}

/** FastAPI writes a list of what is wrong, each with the place of it; Mistral and TabbyAPI put objects around that. */
function messageOf(value: unknown, depth = 0): string {
  if (typeof value === 'string') return value.slice(0, MOST_CHARS);
  const around = asObject(value);
  if (around !== undefined && depth < MOST_DEPTH) {
    return messageOf(around['message'] ?? around['msg'] ?? around['detail'] ?? around['error'], depth + 1);
  }
  if (!Array.isArray(value)) return '';
  return value
    .slice(0, MOST_DETAILS)
    .map((item) => {
      const { loc, msg } = asObject(item) ?? {};
      return [Array.isArray(loc) ? loc.join('.') : '', typeof msg === 'string' ? msg : ''].filter(Boolean).join(': ');
    })
    .join('; ')
    .slice(0, MOST_CHARS);
}

function statusOf(code: unknown): number | undefined {
  const status = typeof code === 'string' && /^\d{3}$/.test(code) ? Number(code) : code;
  return typeof status === 'number' && Number.isInteger(status) && status >= 400 && status <= 599 ? status : undefined;
}

/** Of a page the text is left. */
function plainText(text: string): string {
  return text
    .slice(0, MOST_CHARS)
    .replace(/<[^<>]{0,1000}>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}

function firstOf(value: unknown): unknown {
  return Array.isArray(value) ? value[0] : value;
}

function asObject(value: unknown): Json | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : undefined;
}

function parseJson(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? '');
  } catch {
    return undefined;
  }
}
