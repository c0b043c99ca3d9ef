import type { GenerationJob } from '@lontar/shared/generation-job.ts';
import type { FirstStanding } from '@lontar/shared/live/send-frames.ts';
import type { Masker } from '../masking/mask.ts';
import { framesOf, type Outgoing } from './frame-batches.ts';
import { Transcript } from './transcript.ts';

/** One start of a streamed request, on its way to those who read it. */
export interface StreamInput {
  readonly job: Pick<GenerationJob, 'id' | 'keyId' | 'gateway' | 'v'>;
  /** Number of the job's start. */
  readonly start: number;
  readonly masker: Masker;
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

export const NOTHING_SAVED: Saved = { units: 0, bytes: 0 };

/** What is known of one streamed start. */
export class LiveStream {
  /** Gateways that follow it, beside the one that asked for it. */
  followers: readonly string[] = [];
  saved: Readonly<Record<'text' | 'reasoning', Saved>> = { text: NOTHING_SAVED, reasoning: NOTHING_SAVED };
  /** Spent masking, ms. */
  maskMs = 0;
  readonly transcript: Transcript;
  readonly start: number;
  readonly requestId: string;
  readonly keyId: string;
  private readonly gateway: string;
  private readonly onMaskingFailed: () => void;
  private current: Standing = 'unseen';
  private answered = Promise.withResolvers<void>();
  private failure: { readonly error: unknown } | undefined;

  /** @param onMaskingFailed called once, where masking fails: there is no answer then */
  constructor({ job, start, masker }: StreamInput, onMaskingFailed: () => void) {
    this.start = start;
    this.requestId = job.id;
    this.keyId = job.keyId;
    this.gateway = job.gateway;
    this.onMaskingFailed = onMaskingFailed;
    this.transcript = new Transcript(masker, job.v === 2);
    this.answered.resolve();
  }

  get standing(): Standing {
    return this.current;
  }

  /** Resolves once what Redis was asked about this stream is answered, or cannot be. */
  get standingKnown(): Promise<void> {
    return this.answered.promise;
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

  /** Characters that are masked, and not kept in Redis. */
  get unsaved(): number {
    const { transcript, saved } = this;
    return transcript.text.length - saved.text.units + transcript.reasoning.length - saved.reasoning.units;
  }

  /** The frames of what was masked since the last time; `undefined` for none, or where nothing may be shown. */
  outgoing(onStanding: () => void): Outgoing | undefined {
    const pieces = this.transcript.take();
    if (pieces.length === 0 || this.current === 'refused') return undefined;
    const { requestId, keyId, start, gateway } = this;
    const gateways = [gateway, ...this.followers.filter((other) => other !== gateway)];
    const frames = framesOf(requestId, start, pieces);
    if (this.current === 'visible') return { gateways, frames };
    this.ask();
    const note = (standing: FirstStanding | undefined) => {
      this.noteStanding(standing);
      onStanding();
    };
    return { gateways, frames, first: { requestId, keyId, start, onStanding: note } };
  }

  /** Takes what Redis says of whether this start may be seen; `undefined` where it said nothing. */
  noteStanding(standing: FirstStanding | undefined): void {
    if (this.current === 'visible' || this.current === 'refused') return;
    this.current = standing === undefined || standing === 'later' ? 'unseen' : standing;
    this.answered.resolve();
  }

  private ask(): void {
    if (this.current === 'asked') return;
    this.current = 'asked';
    this.answered = Promise.withResolvers();
  }
}
