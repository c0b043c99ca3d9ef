import type { GenerationJob } from '@lontar/shared/generation-job.ts';
import { takesNumbers } from '@lontar/shared/live/numbered-frames.ts';
import type { FirstStanding } from '@lontar/shared/live/send-frames.ts';
import type { KeptText } from '@lontar/shared/settlement/kept-text.ts';
import type { Masker } from '../masking/mask.ts';
import type { Outgoing } from './frame-batches.ts';
import { type Piece, Transcript } from './transcript.ts';

/** How often a gateway is told where a piece begins, though it goes on where the last one ended, ms. */
const IN_FULL_MS = 1_000;

/** One start of a streamed request, on its way to those who read it. */
export interface StreamInput {
  readonly job: Pick<GenerationJob, 'id' | 'keyId' | 'gateway' | 'v'>;
  /** Number of the job's start. */
  readonly start: number;
  readonly masker: Masker;
  /** Of this stream among all of its worker's, from 1. */
  readonly number: number;
}

/**
 * `unseen`: nothing is known to be visible. `asked`: first frames are on their way, and what Redis says of them is not
 * known. `visible`: a reader may have seen something. `refused`: nothing may be shown, now or later.
 */
export type Standing = 'unseen' | 'asked' | 'visible' | 'refused';

/** What is kept of a track in Redis. */
export interface Saved {
  /** Of its text, UTF-16 units. */
  readonly units: number;
  /** As Redis counts them, UTF-8. */
  readonly bytes: number;
}

export type SavedTracks = Readonly<Record<'text' | 'reasoning', Saved>>;

export const NOTHING_SAVED: Saved = { units: 0, bytes: 0 };

const NONE_SAVED: SavedTracks = { text: NOTHING_SAVED, reasoning: NOTHING_SAVED };

/** What is known of one streamed start. */
export class LiveStream {
  /** Gateways that follow it, beside the one that asked for it. */
  followers: readonly string[] = [];
  saved: SavedTracks = NONE_SAVED;
  /** How often pieces may have been lost on their way to Redis, and how many of these times were mended. */
  losses = 0;
  mended = 0;
  /** Spent masking, ms. */
  maskMs = 0;
  readonly transcript: Transcript;
  readonly start: number;
  readonly requestId: string;
  readonly keyId: string;
  /** 0 where the gateway that waits for it takes no numbers. */
  readonly number: number;
  private readonly gateway: string;
  private handedOn: SavedTracks = NONE_SAVED;
  private readonly inFullAt = { text: Number.NEGATIVE_INFINITY, reasoning: Number.NEGATIVE_INFINITY };
  private readonly onMaskingFailed: () => void;
  private current: Standing = 'unseen';
  private wasAsked = false;
  private answered = Promise.withResolvers<void>();
  private failure: { readonly error: unknown } | undefined;

  /** @param onMaskingFailed called once, where masking fails: there is no answer then */
  constructor({ job, start, masker, number }: StreamInput, onMaskingFailed: () => void) {
    this.start = start;
    this.requestId = job.id;
    this.keyId = job.keyId;
    this.gateway = job.gateway;
    this.number = takesNumbers(job.gateway) ? number : 0;
    this.onMaskingFailed = onMaskingFailed;
    this.transcript = new Transcript(masker, job.v === 2);
    this.answered.resolve();
  }

  get standing(): Standing {
    return this.current;
  }

  /** Whether Redis may have noted what its number stands for. */
  get mayBeNoted(): boolean {
    return this.wasAsked || this.current === 'visible';
  }

  /** Resolves once what Redis was asked about this stream is answered, or cannot be. */
  get standingKnown(): Promise<void> {
    return this.answered.promise;
  }

  /** Makes what masks it before the first of it comes. Never throws. */
  prepare(): void {
    try {
      this.transcript.prepare();
    } catch {
      // It fails with the first piece again, and is noted then.
    }
  }

  /**
   * Masks some of what has come. Never throws: a failure is noted.
   *
   * @returns whether there is more
   */
  advance(): boolean {
    if (this.failure) return false;
    const startedAt = performance.now();
    try {
      return this.transcript.advance();
    } catch (error) {
      this.failure = { error };
      this.transcript.take();
      this.onMaskingFailed();
      return false;
    } finally {
      this.maskMs += performance.now() - startedAt;
    }
  }

  /** @throws what masking threw */
  throwFailure(): void {
    if (this.failure) throw this.failure.error;
  }

  /** All of it that may be kept in Redis: of a numbered stream what was handed on, else what is masked. */
  get keepable(): { readonly text: string; readonly reasoning: string } {
    const { text, reasoning } = this.transcript;
    if (this.number === 0) return { text, reasoning };
    return {
      text: text.slice(0, this.handedOn.text.units),
      reasoning: reasoning.slice(0, this.handedOn.reasoning.units),
    };
  }

  /** What was handed on of both tracks, to be sent. */
  get sent(): SavedTracks {
    return this.handedOn;
  }

  /** Characters that could be kept in Redis, and are not. */
  get unsaved(): number {
    const { number, transcript, handedOn, saved } = this;
    const { text, reasoning } =
      number === 0 ? transcript.lengths : { text: handedOn.text.units, reasoning: handedOn.reasoning.units };
    return text - saved.text.units + reasoning - saved.reasoning.units;
  }

  /** What the partial texts hold of it, as far as is known: a settlement need not say it again. */
  get kept(): KeptText {
    const { text, reasoning } = this.isLost ? NONE_SAVED : this.saved;
    return { textBytes: text.bytes, reasoningBytes: reasoning.bytes };
  }

  /** What was masked since the last time; `undefined` for nothing, or where nothing may be shown. */
  outgoing(onStanding: () => void): Outgoing | undefined {
    const pieces = this.transcript.take();
    if (pieces.length === 0 || this.current === 'refused') return undefined;
    const { requestId, keyId, start, number, gateway, followers } = this;
    this.noteHandedOn(pieces);
    const isVisible = this.current === 'visible';
    const goesOn = { text: this.goesOn('text', pieces), reasoning: this.goesOn('reasoning', pieces) };
    const outgoing = { requestId, start, number, gateway, followers, pieces, goesOn };
    const onLost = () => this.noteLost();
    if (isVisible) return { ...outgoing, onLost };
    this.ask();
    const note = (standing: FirstStanding | undefined) => {
      // It took nothing: neither its inbox nor the journal.
      if (standing !== 'visible') this.noteLost();
      this.noteStanding(standing);
      onStanding();
    };
    return { ...outgoing, onLost, first: { keyId, onStanding: note } };
  }

  /** Redis may not have, or have twice, what was sent. */
  noteLost(): void {
    this.losses++;
  }

  /** Whether what Redis has of it may be other than what was sent: it is written anew by its text. */
  get isLost(): boolean {
    return this.losses > this.mended;
  }

  /** Takes what Redis says of whether this start may be seen; `undefined` where it said nothing. */
  noteStanding(standing: FirstStanding | undefined): void {
    if (this.current === 'visible' || this.current === 'refused') return;
    this.current = standing === undefined || standing === 'later' ? 'unseen' : standing;
    this.answered.resolve();
  }

  private noteHandedOn(pieces: readonly Piece[]): void {
    for (const { track, data } of pieces) {
      if (track === 'call') continue;
      const { units, bytes } = this.handedOn[track];
      const more = { units: units + data.length, bytes: bytes + Buffer.byteLength(data) };
      this.handedOn = { ...this.handedOn, [track]: more };
    }
  }

  private goesOn(track: 'text' | 'reasoning', pieces: readonly Piece[]): boolean {
    const now = performance.now();
    if (now - this.inFullAt[track] < IN_FULL_MS) return true;
    if (pieces.some((piece) => piece.track === track)) this.inFullAt[track] = now;
    return false;
  }

  private ask(): void {
    this.wasAsked = true;
    if (this.current === 'asked') return;
    this.current = 'asked';
    this.answered = Promise.withResolvers();
  }
}
