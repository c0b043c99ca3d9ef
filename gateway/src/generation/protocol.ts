import type { ErrorCode } from '@lontar/shared/errors.ts';
import type { ChatJob, GenerationJob, PromptJob } from '@lontar/shared/generation-job.ts';
import type { Settlement } from '@lontar/shared/settlement/settlement.ts';
import type { Admission } from '../admission/admit.ts';
import type { Answer, FieldFault } from '../envelope/answer.ts';
import type { PresentedKey, RequestContext } from '../envelope/request-context.ts';
import type { StreamRendering } from '../live/stream-rendering.ts';
import type { ReadingLimits } from './generation-rules.ts';

/**
 * A public form of generation: how its requests are read, and how it tells what came of one. Everything between the two
 * is the same for all: admission, job, settlement, charge.
 */
export interface GenerationProtocol {
  /** Reads a request; checked, with defaults filled in. */
  read(context: RequestContext, limits: ReadingLimits): Reading;
  /** Whether the key of a request that cannot be read is judged all the same: a bad one is then said to be bad. */
  readonly judgesKeyFirst: boolean;
  /** Turns a request's settlement into its answer. */
  answer(settlement: Settlement, about: SettledRequest): Answer;
}

/** What a caller asks for, as its job has it: all but what the gateway adds. */
export type AskedJob = Asked<PromptJob> | Asked<ChatJob>;
type Asked<Job> = Omit<Job, 'id' | 'keyId' | 'gateway' | 'receivedAt' | 'deadlineAt'>;

export type Reading =
  | {
      readonly kind: 'ask';
      readonly ask: AskedJob;
      readonly key: PresentedKey;
      /** How long the caller says that it waits, ms. */
      readonly patienceMs?: number | undefined;
      /** Where the caller wants the answer as it grows. */
      readonly events?: EventForm | undefined;
    }
  | ({ readonly kind: 'refused'; readonly key?: PresentedKey | undefined } & ReadingProblem);

/** How the answer of one request is sent as it grows. */
export type EventForm = (of: {
  readonly requestId: string;
  readonly job: Pick<GenerationJob, 'model' | 'receivedAt'>;
}) => StreamRendering;

/** Why a request cannot be read. */
export interface ReadingProblem {
  readonly error: ErrorCode;
  /** Where the catalog's is not precise enough. */
  readonly message?: string;
  readonly param?: string;
  readonly fault?: FieldFault;
}

/** A request that was admitted, as its answer needs it once its settlement is known. */
export interface SettledRequest {
  readonly context: RequestContext;
  readonly job: Pick<GenerationJob, 'endpoint' | 'keyId' | 'model' | 'maxOutputTokens' | 'receivedAt'>;
  readonly admission: Admission;
  readonly reading: ReadingLimits;
  /** `FREE_FAILURES_PER_HOUR`. */
  readonly freeFailuresPerHour: number;
}
