import { setTimeout as delay } from 'node:timers/promises';
import type { GatewayMetrics } from '@lontar/shared/gateway-metrics.ts';
import { GrowingText } from '@lontar/shared/growing-text.ts';
import type { Frame } from '@lontar/shared/live/frames.ts';
import type { Answered } from '@lontar/shared/settlement/settlement.ts';
import type { EventSink } from '../envelope/streamed-answer.ts';
import { type AnswerOutlet, AnswerStream, type AnswerTexts, type CallPart, type WholeAnswer } from './answer-stream.ts';
import type { Cursor } from './cursor.ts';
import { type AnswerFinder, isSettled } from './find-answer.ts';
import { inTurnIfLong } from './reader-turns.ts';
import type { StreamRendering } from './stream-rendering.ts';

/** Between two looks for what is missing: partial texts grow once a second. */
const LOOK_AGAIN_MS = 300;
/** How often a reader who came later looks, until workers know that its gateway follows: until its first frame. */
const FOLLOW_LOOK_MS = 1_500;
/** How long the rest of a settled answer is looked for, ms. */
const REST_PATIENCE_MS = 10_000;

export interface ReaderDeps {
  readonly finder: AnswerFinder;
  readonly metrics: Pick<GatewayMetrics, 'streamGapsFilled'>;
}

export interface ReaderInput {
  readonly requestId: string;
  /** What the reader has already. */
  readonly from: Cursor;
  readonly sink: EventSink;
  readonly form: StreamRendering;
  /** How much of the text to keep for the operator's log, UTF-16 units. */
  readonly keep: number;
}

/**
 * One reader of an answer: what comes of it goes into its event stream; what has been missed, or was not taken because
 * the reader was slow, is looked for. Holds no text but what is on its way, a bounded piece behind a gap, and the beginning.
 */
export class AnswerReader implements AnswerOutlet {
  private readonly kept = new GrowingText();
  private readonly stream: AnswerStream;
  private readonly deps: ReaderDeps;
  private readonly input: ReaderInput;
  private isLooking = false;
  private hasFrames = false;
  private isClosed = false;
  /** Whether the text is a refusal, of which no frame comes: how an answer was settled says so. */
  private isRefusal = false;

  constructor(deps: ReaderDeps, input: ReaderInput) {
    this.deps = deps;
    this.input = input;
    this.stream = new AnswerStream(input.from, this);
    input.sink.onRoom(() => this.look());
  }

  /** The first units of the text, for the operator's log. */
  get beginning(): string {
    return String(this.kept);
  }

  get cursor(): Cursor {
    return this.stream;
  }

  /** Takes a frame of this request; of no interest once the answer is being ended. */
  take(frame: Frame): void {
    if (this.isClosed) return;
    this.hasFrames = true;
    this.stream.take(frame);
    this.look();
  }

  /**
   * Takes what there was when a reader came in the midst of an answer. Workers learn a moment later that its gateway
   * follows, and with the text that comes next: until then it looks for itself. Never rejects.
   *
   * @param texts absent where they have to be found
   */
  async follow(texts: AnswerTexts | undefined): Promise<void> {
    if (texts) await this.takeTexts(texts);
    else await this.takeFound();
    for (;;) {
      await delay(FOLLOW_LOOK_MS, undefined, { ref: false });
      if (this.isClosed || this.hasFrames) return;
      await this.takeFound();
    }
  }

  private async takeFound(): Promise<void> {
    const found = await this.deps.finder.find(this.input.requestId);
    if (found !== undefined && !isSettled(found)) await this.takeTexts(found);
  }

  private takeTexts(texts: AnswerTexts): void | Promise<void> {
    return inTurnIfLong(this.stream.leftOfTexts(texts), () => {
      if (!this.isClosed) this.stream.takeTexts(texts);
    });
  }

  /**
   * Writes what is left of an answer that was settled, as fast as the reader takes it. Never rejects.
   *
   * @returns `missing` where the rest cannot be found
   */
  async finish(settled: Answered): Promise<'whole' | 'left' | 'missing'> {
    this.close();
    this.isRefusal = settled.isRefusal === true;
    const { sink, requestId } = this.input;
    let whole = this.wholeOf(settled);
    let patientUntil = performance.now() + REST_PATIENCE_MS;
    while (!(await inTurnIfLong(this.stream.leftOf(whole), () => this.stream.finish(whole)))) {
      if (sink.isOver) return 'left';
      if (!sink.hasRoom) {
        // Not kept for a reader who may take minutes: it is found again.
        whole = withoutTexts(whole);
        await sink.room();
        patientUntil = performance.now() + REST_PATIENCE_MS;
        continue;
      }
      const found = await this.deps.finder.find(requestId, 'settled');
      if (found !== undefined && isSettled(found) && found.outcome === 'answered') {
        whole = this.wholeOf(found);
        this.deps.metrics.streamGapsFilled.inc();
      } else if (performance.now() > patientUntil) return 'missing';
      else await delay(LOOK_AGAIN_MS);
    }
    return 'whole';
  }

  /** Takes and looks for no more. */
  close(): void {
    this.isClosed = true;
  }

  hasRoom(): boolean {
    return this.input.sink.hasRoom;
  }

  writeReasoning(text: string): void {
    this.write(this.input.form.reasoning(text, this.stream));
  }

  writeText(text: string): void {
    this.keep(text);
    const { form } = this.input;
    this.write(this.isRefusal ? form.refusal(text, this.stream) : form.text(text, this.stream));
  }

  writeCall(part: CallPart): void {
    this.write(this.input.form.call(part, this.stream));
  }

  private write(events: string): void {
    if (events !== '') this.input.sink.write(events);
  }

  private keep(text: string): void {
    const left = this.input.keep - this.kept.length;
    if (left > 0) this.kept.append(text.slice(0, left));
  }

  private look(): void {
    if (this.isLooking || this.isClosed || !this.stream.isBehind || !this.hasRoom()) return;
    this.isLooking = true;
    void this.fill();
  }

  private async fill(): Promise<void> {
    const found = await this.deps.finder.find(this.input.requestId);
    // How it was settled comes by the inbox.
    if (found !== undefined && !isSettled(found)) {
      await this.takeTexts(found);
      if (!this.isClosed && !this.stream.isBehind) this.deps.metrics.streamGapsFilled.inc();
    }
    if (this.stream.isBehind && !this.isClosed) await delay(LOOK_AGAIN_MS, undefined, { ref: false });
    this.isLooking = false;
    this.look();
  }

  /** What a settlement says of the answer; the reply to a gateway that has streamed it has the length of its text alone. */
  private wholeOf({ text, textLength, reasoning, reasoningLength, toolCalls = [] }: Answered): WholeAnswer {
    const hasTexts = textLength === undefined || textLength === text.length;
    // Workers that do not say how much reasoning there was: where there was some, the stored result is asked.
    const unknown = this.stream.reasoning > 0 ? Number.POSITIVE_INFINITY : 0;
    return {
      text: hasTexts ? text : undefined,
      textLength: textLength ?? text.length,
      reasoning: hasTexts ? (reasoning ?? '') : undefined,
      reasoningLength: reasoningLength ?? (hasTexts ? (reasoning ?? '').length : unknown),
      calls: toolCalls,
    };
  }
}

function withoutTexts({ reasoningLength, textLength, calls }: WholeAnswer): WholeAnswer {
  return { reasoningLength, textLength, calls };
}
