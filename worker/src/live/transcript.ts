import type { ToolCall } from '@lontar/shared/chat-request.ts';
import type { Track } from '@lontar/shared/live/frames.ts';
import { addCounts, type MaskedCall, maskToolCall, noCounts } from '../mask-tool-call.ts';
import { type Masker, SLICE } from '../masking/mask.ts';
import type { ModelPart, ModelResult } from '../model/language-model.ts';
import { MaskedTrack } from './masked-track.ts';

/** A masked part of an answer, and where it begins in its track, see shared's frames.ts. */
export interface Piece {
  readonly track: Track;
  readonly offset: number;
  readonly data: string;
}

/** A part as it is taken: refusals are no parts of a stream, see `ModelResult`. */
export type TranscriptPart = ModelPart | { readonly kind: 'refusal'; readonly text: string };

type TextKind = 'text' | 'reasoning' | 'refusal';

/**
 * One answer as it comes from the model, and as it is masked: parts go in, masked pieces come out. Masking is done when
 * it is asked for, so that parts which come faster than they are sent are masked together, at a fraction of the cost.
 */
export class Transcript {
  /** Characters that came from the model. */
  received = 0;
  readonly calls: ToolCall[] = [];
  private readonly masker: Masker;
  private readonly tracks: Readonly<Record<TextKind, MaskedTrack>>;
  private readonly isChat: boolean;
  private readonly callCounts = noCounts();
  /** Parts that are not masked yet; neighbours of one kind are one. */
  private parts: ({ kind: TextKind; text: string } | { kind: 'call'; call: ToolCall })[] = [];
  /** The first of them. Taking parts out one by one would move all others each time, and there may be a million. */
  private first = 0;
  private masking: Generator<undefined, MaskedCall> | undefined;
  private pieces: Piece[] = [];
  private readonly came = new Set<TranscriptPart['kind']>();
  private hasEnded = false;

  /** @param isChat whether the caller's protocol has a place for reasoning and tool calls; else they are dropped unread */
  constructor(masker: Masker, isChat: boolean) {
    this.masker = masker;
    this.isChat = isChat;
    const track = () => new MaskedTrack(masker);
    this.tracks = { text: track(), reasoning: track(), refusal: track() };
  }

  /** Makes what masks the text before the first of it comes. */
  prepare(): void {
    this.tracks.text.prepare();
  }

  /** Takes a part of the answer, NOT masked. */
  add(part: TranscriptPart): void {
    this.received += part.kind === 'call' ? part.call.name.length + part.call.arguments.length : part.text.length;
    if (part.kind !== 'text' && !this.isChat) return;
    if (part.kind === 'call') {
      this.came.add('call');
      this.parts.push({ kind: 'call', call: part.call });
      return;
    }
    if (part.text === '') return;
    this.came.add(part.kind);
    const last = this.parts.at(-1);
    if (last?.kind === part.kind) last.text += part.text;
    else this.parts.push({ kind: part.kind, text: part.text });
  }

  /**
   * What did not come in parts of a whole answer: all of a track of which nothing came, as from an upstream that was not
   * asked for a stream.
   */
  missingOf({
    text,
    reasoning = '',
    refusal = '',
    toolCalls = [],
  }: Pick<ModelResult, 'text' | 'reasoning' | 'refusal' | 'toolCalls'>): TranscriptPart[] {
    const { came } = this;
    return [
      ...(came.has('reasoning') || reasoning === '' ? [] : [{ kind: 'reasoning' as const, text: reasoning }]),
      ...(came.has('text') || text === '' ? [] : [{ kind: 'text' as const, text }]),
      ...(refusal === '' ? [] : [{ kind: 'refusal' as const, text: refusal }]),
      ...(came.has('call') ? [] : toolCalls.map((call) => ({ kind: 'call' as const, call }))),
    ];
  }

  /** Nothing comes any more. What is not masked yet, and what was withheld, is given by `advance`. */
  end(): void {
    this.hasEnded = true;
  }

  /** Whether `advance` has anything to do. */
  get isBehind(): boolean {
    return this.first < this.parts.length;
  }

  /**
   * Masks some of what has come, SLICE characters at most.
   *
   * @returns whether there is more
   * @throws what masking throws, SecretShown, ArgumentsBroken: there is no answer then, and no further use of this
   */
  advance(): boolean {
    const part = this.parts[this.first];
    if (part === undefined) {
      if (this.hasEnded) this.endTracks();
      return false;
    }
    if (part.kind === 'call') this.advanceCall(part.call);
    else {
      this.pauseBut(part.kind);
      this.give(part.kind, this.tracks[part.kind].push(part.text.slice(0, SLICE)));
      part.text = part.text.slice(SLICE);
      if (part.text === '') this.shift();
    }
    return this.isBehind || this.hasEnded;
  }

  /** The masked pieces since the last time. */
  take(): Piece[] {
    const { pieces } = this;
    this.pieces = [];
    return pieces;
  }

  get text(): string {
    return this.tracks.text.text;
  }

  get reasoning(): string {
    return this.tracks.reasoning.text;
  }

  /** Given in no piece: readers of a stream get it with the settlement, which says that it is one. */
  get refusal(): string {
    return this.tracks.refusal.text;
  }

  /** Of text and reasoning so far, UTF-16 units. */
  get lengths(): { readonly text: number; readonly reasoning: number } {
    return { text: this.tracks.text.length, reasoning: this.tracks.reasoning.length };
  }

  /** How many values have been masked. */
  get counts() {
    const counts = noCounts();
    for (const one of [this.callCounts, ...Object.values(this.tracks).map((track) => track.counts)])
      addCounts(counts, one);
    return counts;
  }

  private advanceCall(call: ToolCall): void {
    if (this.masking === undefined) {
      this.pauseBut('call');
      this.masking = maskToolCall(this.masker, call);
    }
    const step = this.masking.next();
    if (step.done !== true) return;
    this.masking = undefined;
    this.shift();
    addCounts(this.callCounts, step.value.counts);
    this.pieces.push({ track: 'call', offset: this.calls.length, data: JSON.stringify(step.value.call) });
    this.calls.push(step.value.call);
  }

  private shift(): void {
    this.first++;
    if (this.isBehind) return;
    this.parts = [];
    this.first = 0;
  }

  private pauseBut(track: TranscriptPart['kind']): void {
    if (track !== 'reasoning') this.give('reasoning', this.tracks.reasoning.pause());
    if (track !== 'text') this.give('text', this.tracks.text.pause());
  }

  private endTracks(): void {
    this.give('reasoning', this.tracks.reasoning.end());
    this.give('text', this.tracks.text.end());
    this.tracks.refusal.end();
  }

  private give(track: TextKind, data: string): void {
    if (data === '' || track === 'refusal') return;
    const offset = this.tracks[track].length - data.length;
    const last = this.pieces.at(-1);
    if (last?.track === track) this.pieces[this.pieces.length - 1] = { ...last, data: last.data + data };
    else this.pieces.push({ track, offset, data });
  }
}
