import { setImmediate as othersHadTheirTurn } from 'node:timers/promises';
import type { WorkerMetrics } from '@lontar/shared/metrics.ts';
import type { Redis } from '@lontar/shared/redis-connection.ts';
import { within } from '@lontar/shared/within.ts';
import { inNextTurn } from '../next-turn.ts';
import { frameSender, type SendDeps } from './frame-sender.ts';
import { keepPartials, type PartialDeps } from './keep-partials.ts';
import { LiveStream, type StreamInput as NumberedInput } from './live-stream.ts';
import { createRounds } from './rounds.ts';
import type { TranscriptPart } from './transcript.ts';

/** One start of a streamed request. */
export type StreamInput = Omit<NumberedInput, 'number'>;

/** How long a failed attempt waits to know whether its answer was seen, ms. */
const LONGEST_ASKING_MS = 1_000;
/** How long the last words of a failed answer may take to be masked, ms: the failure has to be told as well. */
const LONGEST_RELEASE_MS = 1_000;

export interface LiveDeps extends PartialDeps, SendDeps {
  /** The connection that settles, too: frames are there before the settlement that follows them. */
  readonly redis: Redis;
  readonly metrics: PartialDeps['metrics'] & SendDeps['metrics'] & Pick<WorkerMetrics, 'openStreams'>;
}

/**
 * The live plane: sends masked pieces of answers to the gateways that stream them, as one entry for each inbox and tick,
 * however many streams there are. It only makes answers earlier: what Redis does not take at once is dropped, and found in
 * the partial text or the stored result. It never waits for Redis, and no failure of it fails a job.
 */
export interface LivePlane {
  /** Begins to stream one start. Never throws. */
  open(input: StreamInput): OpenStream;
}

export interface OpenStream {
  readonly stream: LiveStream;
  /** Takes a part of the answer, NOT masked, as `LanguageModel.generate` gives it. Never throws. */
  add(part: TranscriptPart): void;
  /** Aborts when masking has failed: there is no answer then, and the model is not needed any more. */
  readonly unmaskable: AbortSignal;
  /**
   * Whether a reader may have seen a part of the answer. Waits for Redis where it was asked and has not answered yet;
   * where that takes long, `false`: another start would be asked about it again. Never rejects.
   */
  isVisible(): Promise<boolean>;
  /**
   * Masks and sends what is left, and lets others have their turn meanwhile. Called before the settlement.
   *
   * @throws what masking threw
   */
  finish(): Promise<void>;
  /**
   * The answer has failed: masks what came of it and sends what masking gives of that, where a reader has seen some of it
   * already. Nothing is ended: what masking withholds may be the beginning of a secret, and stays withheld. Never rejects.
   */
  release(): Promise<void>;
  close(): void;
}

/** Never throws, nor do its methods but where they say so. */
export function createLivePlane(deps: LiveDeps): LivePlane {
  const partials = keepPartials(deps, () => rounds.sendGathered());
  const rounds = createRounds(frameSender(deps), partials.note);
  let streams = 0;
  return {
    open(input) {
      const unmaskable = new AbortController();
      streams++;
      const stream = new LiveStream({ ...input, number: streams }, () => unmaskable.abort());
      rounds.add(stream);
      // The request to the upstream goes first.
      inNextTurn(() => stream.prepare());
      deps.metrics.openStreams.inc();
      const isVisible = async () => {
        await within(LONGEST_ASKING_MS, stream.standingKnown, () => undefined);
        return stream.standing === 'visible';
      };
      return {
        stream,
        unmaskable: unmaskable.signal,
        isVisible,
        add(part) {
          stream.transcript.add(part);
          rounds.note(stream);
        },
        async finish() {
          stream.transcript.end();
          while (stream.advance()) await othersHadTheirTurn();
          stream.throwFailure();
          rounds.sendAtOnce(stream);
        },
        async release() {
          if (!(await isVisible())) return;
          const startedAt = performance.now();
          while (stream.advance() && performance.now() - startedAt < LONGEST_RELEASE_MS) await othersHadTheirTurn();
          rounds.sendAtOnce(stream);
        },
        close() {
          rounds.remove(stream);
          partials.forget(stream);
          deps.metrics.openStreams.dec();
        },
      };
    },
  };
}
