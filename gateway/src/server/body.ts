import { showBytes } from '@lontar/shared/show-bytes.ts';
import type { Request } from 'express';
import { type Answer, refuse } from '../envelope/answer.ts';
import type { Protocol } from '../envelope/request-context.ts';
import { type JsonBounds, judgeJson } from './json-syntax.ts';
import { whyNotJson } from './not-json.ts';

/** A character takes at most twelve bytes as JSON (a surrogate pair in escapes); the rest is for the other fields. */
const BYTES_PER_CHARACTER = 12;
const OTHER_FIELDS_BYTES = 8_192;
/** What a body has to hold, in words. */
const FIELDS = { envelope: 'prompt and apikey', openai: 'model and messages' } as const satisfies Record<
  Protocol,
  string
>;
const COMPRESSED = 'Compressed bodies are not taken. Send JSON as it is, without the header Content-Encoding.';
/** What curl and forms send where nothing is said. */
const OTHER_TYPES = ['application/x-www-form-urlencoded', 'text/plain', 'multipart/form-data'];
const CHARSET = /;\s*charset\s*=\s*"?([^\s;"]*)/i;
const BYTE_ORDER_MARK = Buffer.from('\uFEFF');
/** A text up to this long may be kept a while where it is no JSON, see `judgeJson`. */
const UNCHECKED_BYTES = 1_024;
/**
 * A conversation is nested less than ten deep, and a schema within it at most a hundred. Parsing so many values takes some
 * tens of milliseconds, and of a body of 4 MB it could be seconds.
 */
const OF_CONVERSATIONS: JsonBounds = { depth: 200, marks: 200_000 };
/** Parsing no more than this takes a few milliseconds whatever it is, bytes. */
const UNBOUND_BYTES = 64 * 1024;

/** The longest body of a generation request, bytes. */
export function bodyLimit(maxPromptChars: number): number {
  return maxPromptChars * BYTES_PER_CHARACTER + OTHER_FIELDS_BYTES;
}

/** What is wrong with a POST's body by what its head says of it. */
export function headProblem(request: Request, mostBytes: number, protocol: Protocol): Answer | undefined {
  const { 'content-encoding': encoding, 'content-length': length, 'content-type': type = '' } = request.headers;
  if (!isPlain(encoding)) return refuse('unsupported_media_type', { message: COMPRESSED });
  // What nearly all clients send needs no closer look.
  const isUsual = type === 'application/json' && length !== undefined;
  if (!isUsual && !(request.is('application/json') && isUtf8(type))) {
    const isEmpty = length === undefined && request.headers['transfer-encoding'] === undefined;
    const send = `Send a JSON object with ${FIELDS[protocol]}, and the header Content-Type: application/json.`;
    const wrong = isEmpty ? 'There is no body.' : OTHER_TYPES.find((other) => request.is(other));
    if (wrong === undefined) return refuse('unsupported_media_type');
    return refuse('unsupported_media_type', {
      message: isEmpty ? `${wrong} ${send}` : `The Content-Type is ${wrong}. ${send}`,
    });
  }
  return Number(length ?? 0) > mostBytes ? tooLargeProblem(mostBytes, protocol) : undefined;
}

/** Reads a body's text; an empty one is an object without fields, a common slip of callers. */
export function parseObject(
  bytes: Buffer,
  protocol: Protocol,
): { readonly object: Readonly<Record<string, unknown>> } | { readonly problem: Answer } {
  const isMarked = bytes.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK);
  const unmarked = isMarked ? bytes.subarray(BYTE_ORDER_MARK.length) : bytes;
  const problem = unmarked.length > UNCHECKED_BYTES ? problemOfForm(unmarked, protocol) : undefined;
  if (problem) return { problem };
  try {
    const value: unknown = JSON.parse(bytes.length === 0 ? '{}' : unmarked.toString());
    return isObject(value) ? { object: value } : { problem: notAnObject(FIELDS[protocol]) };
  } catch {
    return { problem: notJson(FIELDS[protocol], unmarked) };
  }
}

/** What is wrong with a text by its form alone: nothing is parsed. */
function problemOfForm(bytes: Buffer, protocol: Protocol): Answer | undefined {
  const { depth, marks } = OF_CONVERSATIONS;
  const isBound = protocol === 'openai' && bytes.length > UNBOUND_BYTES;
  switch (judgeJson(bytes, isBound ? OF_CONVERSATIONS : undefined)) {
    case 'json':
      return undefined;
    case 'not json':
      return notJson(FIELDS[protocol], bytes);
    case 'deep':
      return refuse('invalid_parameter', { message: `The body is nested more than ${depth} levels deep.` });
    case 'many':
      return refuse('invalid_parameter', { message: `The body has more than ${marks} values and names.` });
  }
}

/** @param mostBytes of the path; clients of OpenAI's protocol do not know of ours */
export function tooLargeProblem(mostBytes: number, protocol: Protocol): Answer {
  if (protocol === 'envelope') return refuse('payload_too_large');
  const message = `The request body may have ${showBytes(mostBytes)} at most. Send a shorter one.`;
  return refuse('payload_too_large', { message });
}

/** What is wrong with a body that did not come whole, or in chunks that no client should send. */
export function transferProblem(kind: 'tiny_chunks' | 'cut_off', protocol: Protocol): Answer {
  if (kind === 'cut_off') return notJson(FIELDS[protocol]);
  const message = 'The request body comes in too many and too small chunks. Send it whole, or in larger ones.';
  return refuse('payload_too_large', { message });
}

function notJson(fields: string, bytes: Uint8Array = new Uint8Array()): Answer {
  const why = ['The body is not valid JSON.', whyNotJson(bytes), `Send an object with ${fields}.`];
  return refuse('invalid_parameter', { message: why.filter((part) => part !== '').join(' ') });
}

function notAnObject(fields: string): Answer {
  return refuse('invalid_parameter', { message: `The body must be a JSON object with ${fields}.` });
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isPlain(encoding: string | undefined): boolean {
  return encoding === undefined || encoding.toLowerCase() === 'identity';
}

/** JSON that is exchanged is in UTF-8 (RFC 8259, 8.1); other names of it are not in use. */
function isUtf8(contentType: string): boolean {
  const charset = CHARSET.exec(contentType)?.[1];
  return charset === undefined || /^utf-?8$/i.test(charset);
}
