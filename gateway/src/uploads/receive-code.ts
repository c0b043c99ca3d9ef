import { Readable } from 'node:stream';
import { rateLimitHeaders } from '../admission/rate-limit.ts';
import { type Answer, refuse } from '../http/answer.ts';
import type { RequestContext } from '../http/request-context.ts';
import { showValue } from '../http/show-value.ts';
import { checkKey, isCaller, namesKey } from './check-key.ts';
import { CODE_CONTENT_TYPE } from './content-type.ts';
import { safeFileName } from './file-name.ts';
import { UploadProblem } from './read-form.ts';
import { readVisibility } from './receive-file.ts';
import { receiveUpload, type UploadDeps } from './receive-upload.ts';

/** A body that names its own key is read before the key is known, so it must be short. */
const BODY_WITH_KEY_BYTES = 262_144;
const OTHER_FIELDS_BYTES = 8_192;
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

/** Reads the request's JSON object of at most so many bytes into the context; gives what is wrong with it. */
export type ReadBody = (mostBytes: number) => Promise<Answer | undefined>;

/** `POST /api/code`: a text, kept as it is and always served as plain text. */
export async function receiveCode(
  deps: UploadDeps,
  context: RequestContext,
  origin: string,
  readBody: ReadBody,
): Promise<Answer> {
  // Only a good key may make us hold megabytes in memory; most callers name it in a header.
  const keyInBody = !namesKey(context);
  const early = keyInBody ? await readBody(BODY_WITH_KEY_BYTES) : undefined;
  const caller = await checkKey(deps, context, 'check');
  if (!isCaller(caller)) {
    // A body that cannot be read may have held the key.
    return early && caller.status === 400 ? { ...early, headers: { ...caller.headers, ...early.headers } } : caller;
  }
  const problem = early ?? (keyInBody ? undefined : await readLongBody(deps, context, readBody));
  if (problem) {
    const headers = { ...rateLimitHeaders(caller.admission), ...problem.headers };
    return { ...problem, headers, report: { ...problem.report, keyId: caller.keyId } };
  }

  const fields = context.body ?? {};
  return receiveUpload(deps, context, caller, origin, async (write) => {
    const { code, name, visibility } = readCode(fields);
    await write(Readable.from([Buffer.from(code)]), new AbortController().signal);
    return { form: 'code', name, contentType: CODE_CONTENT_TYPE, visibility };
  });
}

async function readLongBody(
  deps: UploadDeps,
  context: RequestContext,
  readBody: ReadBody,
): Promise<Answer | undefined> {
  const problem = await readBody(2 * deps.maxFileBytes + OTHER_FIELDS_BYTES);
  if (problem || !context.body || !('apikey' in context.body)) return problem;
  return refuse('invalid_parameter', { message: 'apikey was given 2 times; give it once.' });
}

/** @throws UploadProblem that names the field, the rule and the value given */
function readCode({ code, language, filename, visibility }: Readonly<Record<string, unknown>>) {
  if (code === undefined || code === null || code === '') throw new UploadProblem('missing', 'code is required');
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
  return { code, name: safeFileName(filename ?? '', fallback), visibility: readVisibility(visibility) };
}
