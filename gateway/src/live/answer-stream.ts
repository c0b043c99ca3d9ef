import { type ToolCall, toolCallSchema } from '@lontar/shared/chat-request.ts';
import type { Frame } from '@lontar/shared/live/frames.ts';
import { isHighSurrogate } from '@lontar/shared/surrogates.ts';
import type { Cursor } from './cursor.ts';
import { MOST_AT_ONCE, TextTrack } from './text-track.ts';

/** A tool call, or a part of a long one. */
export interface CallPart {
  /** Of the call, from 0. */
  readonly index: number;
  /** Which call it is; absent in all parts but the first. */
  readonly call?: Pick<ToolCall, 'id' | 'name'>;
  /** What comes next of its arguments. */
  readonly arguments: string;
}

/** Where the pieces of an answer go, in their order. */
export interface AnswerOutlet {
  /** Whether the reader can take more now. */
  hasRoom(): boolean;
  writeReasoning(text: string): void;
  writeText(text: string): void;
  writeCall(part: CallPart): void;
}

/** Both texts of an answer from their beginnings, as far as they are known. */
export interface AnswerTexts {
  readonly reasoning: string;
  readonly text: string;
}

/**
 * An answer on its way to one reader: takes frames and the texts that fill gaps, in whatever order and as often as they
 * come, and hands on each unit once and in order. Does no I/O.
 */
export class AnswerStream implements Cursor {
  /** Tool calls handed on whole. */
  calls: number;
  /** Units handed on of the next call's arguments. */
  private callAt = 0;
  private readonly tracks: { readonly reasoning: TextTrack; readonly text: TextTrack };
  private readonly outlet: AnswerOutlet;
  /** The start of the job whose text is being read: no other's may follow. */
  private start: number | undefined;

  constructor(from: Cursor, outlet: AnswerOutlet) {
    const hasRoom = () => outlet.hasRoom();
    this.tracks = {
      reasoning: new TextTrack(from.reasoning, { hasRoom, write: (text) => outlet.writeReasoning(text) }),
      text: new TextTrack(from.text, { hasRoom, write: (text) => outlet.writeText(text) }),
    };
    this.calls = from.calls;
    this.outlet = outlet;
  }

  get reasoning(): number {
    return this.tracks.reasoning.at;
  }

  get text(): number {
    return this.tracks.text.at;
  }

  /** Whether text is missing that was written already: it has to be found. Missing calls come with the settlement. */
  get isBehind(): boolean {
    return this.tracks.reasoning.isBehind || this.tracks.text.isBehind;
  }

  /** Takes a frame of this request. */
  take([, start, track, offset, data]: Frame): void {
    this.start ??= start;
    if (start !== this.start) return;
    if (track !== 'call') this.tracks[track].take(offset, data);
    else if (offset === this.calls) this.takeCall(readCall(data));
  }

  /** Takes the texts from their beginnings, and hands on what has not come yet. */
  takeTexts({ reasoning, text }: AnswerTexts): void {
    this.tracks.reasoning.take(0, reasoning);
    this.tracks.text.take(0, text);
  }

  /** Units of these texts that have not been handed on. */
  leftOfTexts({ reasoning, text }: AnswerTexts): number {
    return reasoning.length - this.reasoning + (text.length - this.text);
  }

  /** And of the whole answer. */
  leftOf({ reasoningLength, textLength, calls }: WholeAnswer): number {
    const ofCalls = calls.slice(this.calls).reduce((sum, call) => sum + call.arguments.length, 0);
    return reasoningLength - this.reasoning + (textLength - this.text) + ofCalls;
  }

  /**
   * Takes the whole answer as it was settled, with or without its texts.
   *
   * @returns whether all of it has been handed on; where not, the reader has no room, or texts are missing
   */
  finish(whole: WholeAnswer): boolean {
    const { reasoning, text } = this.tracks;
    if (whole.reasoning !== undefined) reasoning.take(0, whole.reasoning);
    if (!hasEnded(reasoning, whole.reasoningLength)) return false;
    if (whole.text !== undefined) text.take(0, whole.text);
    if (!hasEnded(text, whole.textLength)) return false;
    for (const call of whole.calls.slice(this.calls)) if (!this.takeCall(call)) return false;
    return true;
  }

  private takeCall(call: ToolCall | undefined): boolean {
    if (call === undefined) return false;
    while (this.outlet.hasRoom()) {
      const from = this.callAt;
      const { id, name, arguments: whole } = call;
      const text = whole.slice(from, endOfPart(whole, from));
      const index = this.calls;
      const isWhole = from + text.length >= whole.length;
      this.callAt = isWhole ? 0 : from + text.length;
      if (isWhole) this.calls++;
      this.outlet.writeCall({ index, ...(from === 0 && { call: { id, name } }), arguments: text });
      if (isWhole) return true;
    }
    return false;
  }
}

/** Where a part ends that begins at an offset: not within a character. */
function endOfPart(text: string, from: number): number {
  const end = from + MOST_AT_ONCE;
  return isHighSurrogate(text.charCodeAt(end - 1)) ? end - 1 : end;
}

/** An answer as it was settled. */
export interface WholeAnswer {
  /** Absent where it has to be found first, if anything of it is missing. */
  readonly reasoning?: string | undefined;
  readonly reasoningLength: number;
  readonly text?: string | undefined;
  readonly textLength: number;
  readonly calls: readonly ToolCall[];
}

function hasEnded(track: TextTrack, length: number): boolean {
  track.end();
  return track.hasAll(length);
}

function readCall(json: string): ToolCall | undefined {
  try {
    return toolCallSchema.safeParse(JSON.parse(json)).data;
  } catch {
    return undefined;
  }
}
