import type { UpstreamView } from './admin/models-schemas.ts';
import type { GenerationEndpoint } from './endpoints.ts';
import type { ErrorCode } from './errors.ts';
import type { FailureCause } from './failure-cause.ts';
import type { Outcome } from './request-event.ts';
import type { FinishReason, MaskCounts } from './settlement/settlement.ts';

/**
 * What stats-service sends the dashboard page, as plain types: the page is built for browsers and must stay small, so
 * nothing here has code.
 */

/** The tiles' numbers. Each one's definition is in the docs' page of definitions, and on the page itself. */
export interface Tiles {
  /** When they were read, Unix ms, by the server's clock. */
  readonly at: number;
  readonly requestsSinceReset: number;
  /** When the operator last reset the counter, Unix ms; absent when never. */
  readonly resetAt?: number;
  readonly requestsAllTime: number;
  readonly requestsToday: number;
  readonly activeUsers: number;
  readonly uniqueUsersToday: number;
  readonly uniqueUsersAllTime: number;
  /** Whole ms; absent when there was no success today. */
  readonly responseMeanMs?: number;
  readonly responseP95Ms?: number;
  readonly successesToday: number;
  readonly failuresToday: number;
  readonly clientErrorsToday: number;
  readonly errorsToday: number;
  readonly maskedToday: number;
  /** Today's generation requests by outcome. */
  readonly outcomesToday: Readonly<Partial<Record<Outcome, number>>>;
  readonly blockedAddresses: number;
}

/** One line of the log. */
export interface LogRow {
  /** Place in the log; grows. */
  readonly cursor: string;
  readonly id: string;
  /** How many refused requests of its second the row stands for; absent for one. It takes the place of an earlier row of its id. */
  readonly count?: number;
  readonly at: number;
  readonly route: string;
  readonly method: string;
  readonly status: number;
  readonly outcome: Outcome;
  readonly error?: ErrorCode;
  /** What the caller was told, without what it quotes of the request. */
  readonly message?: string;
  readonly ms: number;
  readonly address: string;
  readonly keyId?: string;
  /** The operator's name for the key; no caller is told it. */
  readonly keyName?: string;
  readonly endpoint?: GenerationEndpoint;
  readonly model?: string;
  /** Whether the key paid; absent where nothing was reserved. */
  readonly charged?: boolean;
  /** Values masked in the answer; absent where there was no answer. */
  readonly masked?: MaskCounts;
  /** Why the answer ended: `length` where it was cut. */
  readonly finishReason?: FinishReason;
  readonly tokens?: { readonly input: number; readonly output: number };
  /** Why the model call failed. */
  readonly cause?: FailureCause;
  /** Which upstream was asked last, and for which of its models: `backup/qwen3-32b`. */
  readonly upstream?: string;
  readonly attempts?: number;
  readonly queuedMs?: number;
  readonly modelMs?: number;
  readonly maskMs?: number;
}

/** A row with its masked texts. */
export interface LogDetail {
  readonly row: LogRow;
  /** `none`: nothing was said, or LOG_CONTENT=off; `expired`: only the newest rows keep their texts. */
  readonly texts: 'kept' | 'none' | 'expired';
  readonly prompt?: string;
  readonly answer?: string;
}

/** One point of the charts: ten seconds. */
export interface Moment {
  readonly at: number;
  readonly outcomes: Readonly<Partial<Record<Outcome, number>>>;
  readonly p95Ms?: number;
  readonly waiting?: number;
  readonly oldestWaitingMs?: number;
}

/** One running instance, as the fleet card shows it. */
export interface FleetMember {
  readonly id: string;
  readonly service: 'gateway' | 'worker' | 'stats-service';
  readonly version: string;
  readonly startedAt: number;
  readonly inFlight: number;
  readonly slots?: number;
  readonly lastProgressAt?: number;
  readonly draining: boolean;
  /** Requests that an address may make in an hour; of gateways, absent from those of earlier versions. */
  readonly addressPerHour?: number;
  /** Why it counts as failing; absent when it does not. */
  readonly failing?: string;
  readonly model?: { readonly provider: string; readonly lastOutcome: 'none' | 'ok' | 'failed'; readonly at: number };
  /** Read from its metrics; absent when they could not be read. */
  readonly memoryBytes?: number;
  readonly eventLoopP99Ms?: number;
}

/** Figures over all instances together, from their aggregated metrics, since each one's start. */
export interface FleetTotals {
  readonly modelCalls: number;
  readonly modelErrors: number;
  readonly modelRetries: number;
  readonly modelMeanMs?: number;
  readonly jobsStalled: number;
  readonly secretsMasked: number;
  readonly maskingFailures: number;
  readonly maskingMeanMs?: number;
  /** Absent from services of earlier versions. */
  readonly streams?: StreamTotals;
}

/** Answers that are streamed. */
export interface StreamTotals {
  /** Now. */
  readonly open: number;
  /** Since the start of each process, that had a first byte. */
  readonly begun: number;
  readonly firstByteMeanMs?: number;
  /** How old frames and replies were when their gateway read them. */
  readonly lagMeanMs?: number;
  /** Ended with an error after the first words, because a worker was lost. */
  readonly broken: number;
  readonly gapsFilled: number;
  readonly resumed: number;
  /** Their callers left. */
  readonly left: number;
  /** Their readers took too little. */
  readonly cut: number;
}

export interface Fleet {
  readonly members: readonly FleetMember[];
  readonly totals: FleetTotals;
  /** Absent while no worker has told of its models, and from services of earlier versions. */
  readonly upstreams?: readonly UpstreamView[];
}

/** What the sentences of a trouble are made of. */
export interface TroubleParts {
  /** How many of all are meant: workers or processes. */
  readonly some?: number;
  readonly all?: number;
  /** Models or upstreams. */
  readonly names?: string;
  /** Why calls fail, in the worker's and the upstream's words. */
  readonly cause?: string;
  /** Percent. */
  readonly share?: number;
  /** Requests succeeded in the newest minute, and none failed. */
  readonly hasRecovered?: boolean;
}

/** Something that is wrong with the service now, for the operator alone. */
export interface Trouble {
  readonly id:
    | 'no_workers'
    | 'workers_stuck'
    | 'queue_paused'
    | 'model_failing'
    | 'failing_requests'
    | 'models_down'
    | 'upstreams_open'
    | 'upstreams_unauthorized'
    | 'models_file_broken';
  /** No caller it hits gets an answer. */
  readonly isDown: boolean;
  /** What is wrong, in a sentence. */
  readonly what: string;
  /** Whom it hits. */
  readonly whom: string;
  /** What is put into both sentences, for a page that says them in another language. */
  readonly parts?: TroubleParts;
  /** Unix ms. */
  readonly since: number;
  /** Name of the runbook in `docs/runbooks`. */
  readonly runbook: string;
  /** Where it can be read, where the operator has said so. */
  readonly runbookUrl?: string;
}

/** One part of the page: its data, or why it cannot be shown. The other parts stay live. */
export type Part<Data> =
  | { readonly ok: true; readonly data: Data }
  | { readonly ok: false; readonly reason: string; readonly code: 'redis_away' };

/** The event `stats`: the numbers now. Parts that an onlooker without a session may not see are absent. */
export interface StatsMessage {
  readonly at: number;
  readonly tiles: Part<Tiles>;
  /** The newest points; they replace those with the same `at`. */
  readonly moments: Part<readonly Moment[]>;
  readonly fleet?: Part<Fleet>;
  /** What is wrong now, the worst first. */
  readonly troubles?: readonly Trouble[];
}

/** The event `snapshot`: everything the page needs at its start. */
export interface SnapshotMessage extends StatsMessage {
  readonly version: string;
  readonly signedIn: boolean;
  readonly logContent: boolean;
  /** Newest first; absent without a session. */
  readonly log?: Part<readonly LogRow[]>;
}

/** The event `log`: rows since the last one, oldest first. */
export interface LogMessage {
  readonly rows: readonly LogRow[];
  /** Rows left out because more were answered than a page can show; they are in the log all the same. */
  readonly skipped: number;
}

/** `GET /dashboard/log`: older rows that pass a filter, newest first. */
export interface LogPage {
  readonly rows: readonly LogRow[];
  /** Where to go on; absent at the end of the log. */
  readonly before?: string;
}

/** The event `bye`: the server closes the stream; the page connects again. */
export interface ByeMessage {
  readonly reason: 'stopping' | 'signed_out' | 'too_slow';
}

/** An address that is blocked now. */
export interface BlockedAddress {
  readonly address: string;
  readonly reason: 'over the hourly limit' | 'too many bad keys' | 'blocked by the operator';
  /** Unix ms; `null` where only the operator ends it. */
  readonly until: number | null;
}

/** `GET /dashboard/session`. */
export interface SessionState {
  readonly signedIn: boolean;
  /** Whether the counters are open without a session. */
  readonly public: boolean;
  readonly expiresAt?: number;
}
