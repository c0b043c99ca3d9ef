import type { ServerResponse } from 'node:http';
import type { GatewayMetrics } from '@lontar/shared/gateway-metrics.ts';
import { holdYoungGeneration } from '@lontar/shared/patches/young-generation.ts';
import type { RequestContext } from '../envelope/request-context.ts';
import type { EventSink } from '../envelope/streamed-answer.ts';
import { letGoOfHead } from '../patches/begun-heads.ts';
import { wasCutForPace } from './pace.ts';

/** Times of an event stream, ms. */
interface StreamTimes {
  /** A head waits for the first event, so that what fails before has a status of its own; at most so long from receipt. */
  readonly headMs: number;
  /** After so long without an event a comment shows that the connection lives. */
  readonly silenceMs: number;
  readonly lookMs: number;
}

const TIMES: StreamTimes = { headMs: 15_000, silenceMs: 10_000, lookMs: 500 };
/**
 * From so many on V8's young generation is kept small: what streams make of frames is garbage at once, and room for it was
 * half of what 1,000 streams took at 128 MB, and a third at 16. It costs no more processor time.
 */
const MANY = 100;
const YOUNG_BYTES = 8 * 1024 * 1024;
/** One newline, because two would end an event, and some clients take an event without data for a broken stream. */
const HEARTBEAT = ': x\n';

export interface EventStreamDeps {
  readonly metrics: Pick<GatewayMetrics, 'streamsOpen' | 'streamFirstByte' | 'streamReadersCut'>;
  /** Whether the gateway is stopping: the connection then ends with its answer. */
  readonly draining: () => boolean;
  /** Others only in tests. */
  readonly times?: StreamTimes;
}

/** The event streams that this gateway has open. */
export interface EventStreams {
  /** Opens one for an answer whose head is not out yet. */
  open(
    response: ServerResponse,
    context: Pick<RequestContext, 'receivedAt'>,
    headers: Readonly<Record<string, string>>,
  ): EventStream;
}

/** One clock for all: a timer of its own would cost each stream more than its events do. */
export function createEventStreams(deps: EventStreamDeps): EventStreams {
  const times = deps.times ?? TIMES;
  const open = new Set<EventStream>();
  // Only while there are any: an idle gateway is not woken.
  let timer: NodeJS.Timeout | undefined;
  const look = () => {
    for (const stream of open) stream.look(times);
    if (open.size >= MANY) holdYoungGeneration(YOUNG_BYTES);
    if (open.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
  return {
    open(response, { receivedAt }, headers) {
      const stream = new EventStream(deps, { response, receivedAt, headers });
      open.add(stream);
      timer ??= setInterval(look, times.lookMs).unref();
      // At once: a thousand that are opened within a second would have let it grow before the clock comes round.
      if (open.size >= MANY) holdYoungGeneration(YOUNG_BYTES);
      deps.metrics.streamsOpen.inc();
      response.once('close', () => {
        open.delete(stream);
        deps.metrics.streamsOpen.dec();
        if (wasCutForPace(response)) deps.metrics.streamReadersCut.inc();
      });
      return stream;
    },
  };
}

interface StreamedResponse {
  readonly response: ServerResponse;
  readonly receivedAt: number;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * An answer as an event stream. What the connection has not taken waits in Node's buffer: a writer that asks for room
 * before each event of at most 32 KiB keeps that below 100 KiB. A reader that takes nothing of it is cut by pace.ts.
 */
export class EventStream implements EventSink {
  private readonly deps: EventStreamDeps;
  private readonly of: StreamedResponse;
  private isFull = false;
  private isGivenUp = false;
  /** Of this stream, in looks of the clock: since its receipt, and, once it has begun, since its last event. */
  private silentMs: number;
  private roomListener: (() => void) | undefined;

  constructor(deps: EventStreamDeps, of: StreamedResponse) {
    this.deps = deps;
    this.of = of;
    this.silentMs = performance.now() - of.receivedAt;
    of.response.on('drain', () => {
      this.isFull = false;
      this.roomListener?.();
    });
  }

  get isBegun(): boolean {
    return this.of.response.headersSent;
  }

  get isOver(): boolean {
    return this.of.response.destroyed;
  }

  get hasRoom(): boolean {
    return !this.isFull && !this.isOver;
  }

  write(events: string): void {
    if (this.isOver) return;
    const isFirst = this.begin();
    this.silentMs = 0;
    this.isFull = !this.of.response.write(events);
    if (!isFirst) return;
    // Node would write it behind the next command to Redis. Only the first text: later ones of one turn go together.
    this.of.response.socket?.uncork();
    this.noteBegun();
    letGoOfHead(this.of.response);
  }

  onRoom(listener: () => void): void {
    this.roomListener = listener;
  }

  async room(): Promise<void> {
    if (this.hasRoom || this.isOver) return;
    const { response } = this.of;
    await new Promise<void>((resolve) => {
      const done = () => {
        response.off('drain', done).off('close', done);
        resolve();
      };
      response.on('drain', done).on('close', done);
    });
  }

  /** Ends the stream with its last events. */
  end(last: string): void {
    if (this.isOver) return;
    const isFirst = this.begin();
    this.of.response.end(last);
    if (isFirst) this.noteBegun();
  }

  /** The answer is another one, and not out yet: the clock, too, writes nothing any more. */
  giveUp(): void {
    this.isGivenUp = true;
  }

  /** Called by the clock of all streams: writes something where there was silence for too long. */
  look({ headMs, silenceMs, lookMs }: StreamTimes): void {
    if (this.isGivenUp) return;
    this.silentMs += lookMs;
    const most = this.isBegun ? silenceMs : headMs - lookMs;
    if (this.silentMs < most || this.of.response.writableEnded || !this.hasRoom) return;
    this.write(HEARTBEAT);
  }

  private noteBegun(): void {
    this.deps.metrics.streamFirstByte.observe((performance.now() - this.of.receivedAt) / 1000);
  }

  /** @returns whether it had not begun */
  private begin(): boolean {
    const { response, headers } = this.of;
    if (response.headersSent) return false;
    response.statusCode = 200;
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    response.setHeader('Content-Type', 'text/event-stream; charset=utf-8');
    // Proxies would gather events before they hand them on.
    response.setHeader('X-Accel-Buffering', 'no');
    // A request that came before the stop began has been promised a connection that lasts.
    if (this.deps.draining()) response.setHeader('Connection', 'close');
    return true;
  }
}
