import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { ClientEnd, LedgerEntry, StreamSeen } from '../ledger.ts';
import { type ApiKey, isUp, type System, until } from '../system.ts';
import { type ChunkEvent, readChunks } from './chunk-reader.ts';
import type { StreamTexts } from './stream-texts.ts';

/** How long a client tries to get the rest of an answer, ms. */
const PATIENCE_MS = 45_000;
const AGAIN_MS = 100;
/** The end of a process may be seen later than that of its connections, on a machine that is too busy by seconds, ms. */
const DEATH_SEEN_MS = 10_000;

/** How a client reads a stream. */
export interface StreamHow {
  readonly key: ApiKey;
  readonly random: () => number;
  /** Units of the text at which the client leaves and comes back by another connection, in order. */
  readonly cuts?: readonly number[];
  /** Units of the text at which it leaves for good. */
  readonly leaveAt?: number;
  /** Leaves for good when it aborts. */
  readonly leave?: AbortSignal;
  /** Where its first connection goes; any gateway where not said. */
  readonly url?: string;
  /** Called with all of the text so far, as it grows. */
  readonly onText?: (text: string) => void;
}

/** How a connection ended. `done`: the stream said so; `refused`: with an answer that is no stream. */
type ConnectionEnd = 'done' | 'cut' | 'silent' | 'broken' | 'unconnected' | Extract<ClientEnd, { kind: 'answered' }>;

/** In OpenAI's codes, what the status would have been of an error in a stream. */
const STATUSES: Readonly<Record<string, number>> = {
  server_is_overloaded: 503,
  timeout: 504,
  client_closed: 499,
  upstream_error: 502,
  stream_broken: 502,
  internal_error: 500,
  masking_failed: 500,
};

/**
 * Asks for a stream and reads it to its end, by as many connections as that takes, each to any gateway that is up; enters
 * into the ledger what came of it. Never rejects.
 */
export async function sendStream(system: System, texts: StreamTexts, how: StreamHow): Promise<LedgerEntry> {
  const entry = system.ledger.open(how.key.id);
  const seen: StreamSeen = {
    text: '',
    reasoning: '',
    calls: [],
    resumes: 0,
    longestBackMs: 0,
    silentEnds: 0,
    wrongIds: 0,
    leaks: 0,
    trail: [],
  };
  entry.stream = seen;
  entry.end = await new StreamClient(system, texts, how, entry, seen).read();
  entry.endedAt = Date.now();
  if (texts.fragmentsIn(seen.text) > 0) seen.leaks++;
  const truth = texts.maskedAnswerTo(entry.nonce);
  const isWhole = entry.end.kind === 'answered' && entry.end.status === 200;
  entry.ownAnswer = isWhole ? seen.text === truth : truth.startsWith(seen.text);
  return entry;
}

class StreamClient {
  private completionId = '';
  private lastEventId = '';
  private finishReason: string | undefined;
  private error: ChunkEvent['error'];
  private isCut = false;
  private brokenBy = '';
  private readonly cuts: number[];
  private readonly system: System;
  private readonly texts: StreamTexts;
  private readonly how: StreamHow;
  private readonly entry: LedgerEntry;
  private readonly seen: StreamSeen;

  constructor(system: System, texts: StreamTexts, how: StreamHow, entry: LedgerEntry, seen: StreamSeen) {
    this.system = system;
    this.texts = texts;
    this.how = how;
    this.entry = entry;
    this.seen = seen;
    this.cuts = [...(how.cuts ?? [])];
  }

  /** Reads to the end, whatever it is. */
  async read(): Promise<ClientEnd> {
    let end = await this.connect(this.how.url ?? this.anyUrl());
    const patientUntil = performance.now() + PATIENCE_MS;
    for (;;) {
      if (end === 'done') return this.done();
      if (this.hasLeft) return { kind: 'left' };
      const isLast = performance.now() > patientUntil;
      // Without its name nothing can be asked for again.
      if (this.completionId === '' || isLast) return typeof end === 'object' ? end : { kind: 'broken' };
      if (typeof end === 'object' && end.status !== 503) return end;
      if (end !== 'cut') await delay(AGAIN_MS);
      end = await this.connect(this.anyUrl());
      if (end !== 'unconnected') this.seen.resumes++;
    }
  }

  private get hasLeft(): boolean {
    const { leave, leaveAt = Number.POSITIVE_INFINITY } = this.how;
    return this.isCut && (leave?.aborted === true || this.seen.text.length >= leaveAt);
  }

  private anyUrl(): string {
    const urls = this.system.urls();
    return urls[Math.floor(this.how.random() * urls.length)] ?? this.system.stack.url;
  }

  private done(): ClientEnd {
    const { error, requestId } = this;
    if (error === undefined) return { kind: 'answered', status: 200, requestId, retryAfter: undefined, text: '' };
    const status = STATUSES[error.code] ?? 599;
    return { kind: 'answered', status, requestId, retryAfter: undefined, text: error.event, inBand: true };
  }

  private get requestId(): string {
    return this.completionId.replace('chatcmpl-', 'req_');
  }

  private async connect(url: string): Promise<ConnectionEnd> {
    const target = this.target(url);
    const gateway = this.system.stack.gateways[this.system.stack.urls.indexOf(url)];
    this.error = undefined;
    const [isBack, askedAt] = [this.completionId !== '', performance.now()];
    const end = await this.readOnce(target);
    if (isBack) this.seen.longestBackMs = Math.max(this.seen.longestBackMs, performance.now() - askedAt);
    const how = typeof end === 'object' ? String(end.status) : end;
    this.seen.trail.push(`${new Date().toISOString()} ${how} ${this.brokenBy} ${url}`);
    if (end === 'silent') this.seen.silentEnds++;
    // Nothing has ended it: it lives, and so should the connection.
    if (end === 'broken' && gateway !== undefined) {
      await until(() => !isUp(gateway), DEATH_SEEN_MS, 'death').catch(() => this.seen.silentEnds++);
    }
    // A gateway that had to let go says how to go on.
    return end === 'done' && this.saidHowToResume ? 'cut' : end;
  }

  private get saidHowToResume(): boolean {
    return this.error?.code === 'server_is_overloaded' && this.error.event.includes('starting_after');
  }

  private target(url: string): () => ClientRequest {
    const authorization = `Bearer ${this.how.key.key}`;
    if (this.completionId === '') {
      const content = this.entry.nonce;
      const body = JSON.stringify({ model: 'ai-2.5-pro', stream: true, messages: [{ role: 'user', content }] });
      const headers = { authorization, 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
      return () => request(new URL('/v1/chat/completions', url), { agent: false, method: 'POST', headers }).end(body);
    }
    const again = new URL(`/v1/chat/completions/${this.completionId}?stream=true`, url);
    const byEvent = this.lastEventId !== '' && this.how.random() < 0.5;
    if (!byEvent) {
      // Any place will do, also one in the midst of an event.
      const { text } = this.seen;
      const back = Math.floor(this.how.random() * Math.min(20, text.length));
      this.seen.text = text.slice(0, text.length - back);
      this.lastEventId = '';
      again.searchParams.set('starting_after', String(this.seen.text.length));
    }
    const headers = { authorization, ...(byEvent && { 'last-event-id': this.lastEventId }) };
    return () => request(again, { agent: false, headers }).end();
  }

  private readOnce(send: () => ClientRequest): Promise<ConnectionEnd> {
    return new Promise((resolve) => {
      this.isCut = false;
      this.brokenBy = '';
      const sent = send();
      const broken = () => resolve(this.isCut ? 'cut' : 'broken');
      const leave = () => {
        this.isCut = true;
        sent.destroy();
      };
      this.how.leave?.addEventListener('abort', leave, { once: true });
      // Of a gateway that is being started again.
      sent.on('error', ({ code, message }: NodeJS.ErrnoException) => {
        this.brokenBy = `${code} ${message}`;
        if (code === 'ECONNREFUSED') resolve('unconnected');
        else broken();
      });
      sent.on('response', (response) => {
        this.brokenBy = 'behind its head';
        response.on('error', broken);
        this.nameOf(response);
        if (response.statusCode === 200) this.readStream(sent, response, resolve);
        else void readRefusal(response).then((end) => resolve({ ...end, requestId: this.requestId || end.requestId }));
      });
    });
  }

  /** The head of a stream has the name of its answer, which may fail before any event has it. */
  private nameOf({ statusCode, headers }: IncomingMessage): void {
    const requestId = headers['x-request-id'];
    if (statusCode !== 200 || this.completionId !== '' || typeof requestId !== 'string') return;
    this.completionId = requestId.replace('req_', 'chatcmpl-');
  }

  private readStream(sent: ClientRequest, response: IncomingMessage, resolve: (end: ConnectionEnd) => void): void {
    let wire = '';
    let isDone = false;
    const read = readChunks((event) => {
      this.take(event);
      if (this.isCutNow()) this.isCut = true;
      if (this.isCut) sent.destroy();
      return !this.isCut;
    });
    response.setEncoding('utf8').on('data', (piece: string) => {
      wire += piece;
      isDone = read(piece);
    });
    response.on('close', () => {
      if (this.texts.fragmentsIn(wire) > 0) this.seen.leaks++;
      const hasEnd = isDone && (this.finishReason !== undefined || this.error !== undefined);
      if (hasEnd) resolve('done');
      else if (this.isCut) resolve('cut');
      else resolve(response.complete ? 'silent' : 'broken');
    });
  }

  private take({ id, completionId, text, reasoning, calls, finishReason, error }: ChunkEvent): void {
    if (completionId !== '') this.completionId = completionId;
    this.seen.text += text;
    this.seen.reasoning += reasoning;
    for (const { index, function: part } of calls) {
      // A part with a name begins its call, also where the call comes anew behind a cut.
      const before = part.name === undefined ? this.seen.calls[index] : undefined;
      this.seen.calls[index] = {
        name: part.name ?? before?.name ?? '',
        arguments: (before?.arguments ?? '') + part.arguments,
      };
    }
    if (id !== '') {
      this.lastEventId = id;
      if (Number(id.split('.')[1]) !== this.seen.text.length) this.seen.wrongIds++;
    }
    this.finishReason ??= finishReason;
    this.error = error;
    if (text !== '') this.how.onText?.(this.seen.text);
  }

  private isCutNow(): boolean {
    const { length } = this.seen.text;
    if (this.how.leaveAt !== undefined && length >= this.how.leaveAt) return true;
    const next = this.cuts[0];
    if (next === undefined || length < next) return false;
    this.cuts.shift();
    return true;
  }
}

async function readRefusal(response: IncomingMessage): Promise<Extract<ClientEnd, { kind: 'answered' }>> {
  let text = '';
  try {
    for await (const piece of response.setEncoding('utf8')) text += piece;
  } catch {
    // What came of it says enough.
  }
  return {
    kind: 'answered',
    status: response.statusCode ?? 0,
    requestId: String(response.headers['x-request-id']),
    retryAfter: response.headers['retry-after'],
    text,
  };
}
