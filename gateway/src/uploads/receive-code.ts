import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { Admission } from '../admission/admit.ts';
import { checkKey, countCaller, isCaller } from '../admission/check-key.ts';
import { rateLimitHeaders } from '../admission/rate-limit.ts';
import { identify, noteBody, repeatedKeyMessage } from '../caller/identify.ts';
import { type Answer, refuse, unavailable } from '../envelope/answer.ts';
import type { RequestContext } from '../envelope/request-context.ts';
import { showValue } from '../envelope/show-value.ts';
import type { ByteBudget } from './byte-budget.ts';
import { OTHER_FIELDS_BYTES, readCodeBody, readShortBody, unreadableBody } from './code-body.ts';
import { CODE_CONTENT_TYPE } from './content-type.ts';
import { safeFileName } from './file-name.ts';
import { declaredLength } from './gathered-body.ts';
import { readVisibility } from './receive-file.ts';
import { type Described, receiveUpload, type UploadDeps } from './receive-upload.ts';
import type { Visibility } from './upload.ts';
import { UPLOAD_PROBLEMS, UploadProblem } from './upload-problem.ts';

/** A body that names its own key is read before the key is known, so it must be short. */
const BODY_WITH_KEY_BYTES = 262_144;
/** A text that JSON escapes throughout, line breaks and quotes alone, takes twice its bytes. */
const BYTES_OF_JSON = 2;
/** What an ordinary body has besides its text, bytes. */
const ORDINARY_FIELDS_BYTES = 1_024;
const LANGUAGE = /^[0-9A-Za-z+#._ -]{1,40}$/;

/** File extensions of common languages; others get `txt`. */
const EXTENSIONS = new Map(
  Object.entries({
    bash: 'sh',
    c: 'c',
    'c#': 'cs',
    'c++': 'cpp',
    css: 'css',
    go: 'go',
    html: 'html',
    java: 'java',
    javascript: 'js',
    json: 'json',
    kotlin: 'kt',
    lua: 'lua',
    markdown: 'md',
    php: 'php',
    python: 'py',
    ruby: 'rb',
    rust: 'rs',
    sql: 'sql',
    swift: 'swift',
    typescript: 'ts',
    yaml: 'yaml',
  }),
);

export interface CodeDeps extends UploadDeps {
  /** Bodies that are held whole because they hold the key, by address. */
  readonly shortBodies: ByteBudget;
}

/** `POST /api/code`: a text, kept as it is and always served as plain text. */
export async function receiveCode(
  deps: CodeDeps,
  context: RequestContext,
  origin: string,
  request: IncomingMessage,
): Promise<Answer> {
  // Most callers name their key in a header: these are judged before a byte of the body is read.
  if (context.key.kind === 'absent') return receiveCodeWithKey(deps, context, origin, request);
  const caller = await checkKey(deps, context, 'check');
  if (!isCaller(caller)) return caller;
  const mostBytes = BYTES_OF_JSON * deps.maxFileBytes + OTHER_FIELDS_BYTES;
  const bytes = declaredLength(request);
  const problem = unreadableBody(request, mostBytes);
  if (problem) return problemAnswer(problem, caller.admission, caller.keyId);
  const size = bytes === undefined ? undefined : (bytes - ORDINARY_FIELDS_BYTES) / BYTES_OF_JSON;
  return receiveUpload(deps, context, { caller, origin, size, mostBytes: bytes }, async (write) => {
    const body = readCodeBody(request, mostBytes);
    await write(body.text, new AbortController().signal);
    const fields = objectOf(body.fields());
    const key = identify({ query: context.query, headers: context.headers, body: fields });
    if (key.kind === 'repeated') throw new UploadProblem('invalid', repeatedKeyMessage(key.times));
    const described = describe(fields);
    if (body.textBytes === 0) throw new UploadProblem('missing', 'code is required');
    return described;
  });
}

/** The body may hold the key: first the address is judged alone, then a short body is read, then the key is judged. */
async function receiveCodeWithKey(
  deps: CodeDeps,
  context: RequestContext,
  origin: string,
  request: IncomingMessage,
): Promise<Answer> {
  const { admission, refusal } = await countCaller(deps, context);
  if (refusal || admission === undefined) return refusal ?? unavailable();
  const problem = unreadableBody(request, BODY_WITH_KEY_BYTES);
  if (problem) return problemAnswer(problem, admission);
  const giveBack = deps.shortBodies.take(context.address, declaredLength(request) ?? BODY_WITH_KEY_BYTES);
  if (giveBack === undefined) return unavailable(rateLimitHeaders(admission));
  try {
    const fields = objectOf(parse(await readShortBody(request, BODY_WITH_KEY_BYTES)));
    noteBody(context, fields);
    const caller = await checkKey(deps, context, 'judge');
    if (!isCaller(caller)) return { ...caller, headers: { ...rateLimitHeaders(admission), ...caller.headers } };
    const text = typeof fields['code'] === 'string' ? Buffer.from(fields['code']) : Buffer.alloc(0);
    const size = text.length;
    return await receiveUpload(deps, context, { caller, origin, size, mostBytes: size }, async (write) => {
      const described = describe(fields);
      if (size === 0) throw new UploadProblem('missing', 'code is required');
      await write(Readable.from([text]), new AbortController().signal);
      return described;
    });
  } catch (error) {
    if (error instanceof UploadProblem) return problemAnswer(error, admission);
    throw error;
  } finally {
    giveBack();
  }
}

function problemAnswer({ kind, message }: UploadProblem, admission: Admission, keyId?: string): Answer {
  const report = keyId === undefined ? {} : { keyId };
  return refuse(UPLOAD_PROBLEMS[kind].code, { message, headers: rateLimitHeaders(admission), report });
}

/** @throws UploadProblem */
function parse(body: Buffer): unknown {
  try {
    return body.length === 0 ? {} : JSON.parse(new TextDecoder().decode(body));
  } catch {
    throw new UploadProblem('invalid', 'The body is not valid JSON. Send an object with code.');
  }
}

/** @throws UploadProblem */
function objectOf(body: unknown): Readonly<Record<string, unknown>> {
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body as Record<string, unknown>;
  throw new UploadProblem('invalid', 'The body must be a JSON object with code.');
}

function describe(fields: Readonly<Record<string, unknown>>): Described {
  return { form: 'code', contentType: CODE_CONTENT_TYPE, ...readCode(fields) };
}

/** @throws UploadProblem that names the field, the rule and the value given */
function readCode({ code, language, filename, visibility }: Readonly<Record<string, unknown>>): {
  name: string;
  visibility: Visibility;
} {
  if (code === undefined || code === null) throw new UploadProblem('missing', 'code is required');
  if (typeof code !== 'string' || !code.isWellFormed()) {
    const found = typeof code === 'string' ? 'a lone surrogate' : showValue(code);
    throw new UploadProblem('invalid', `code must be text in valid Unicode; ${found} was given.`);
  }
  if (language !== undefined && language !== null && (typeof language !== 'string' || !LANGUAGE.test(language))) {
    throw new UploadProblem(
      'invalid',
      `language must be a name of at most 40 letters, digits and + # . _ -; ${showValue(language)} was given.`,
    );
  }
  if (filename !== undefined && filename !== null && typeof filename !== 'string') {
    throw new UploadProblem('invalid', `filename must be text; ${showValue(filename)} was given.`);
  }
  const extension = EXTENSIONS.get(language?.toLowerCase() ?? '') ?? 'txt';
  const fallback = `code.${extension}`;
  return { name: safeFileName(filename ?? '', fallback), visibility: readVisibility(visibility) };
}
