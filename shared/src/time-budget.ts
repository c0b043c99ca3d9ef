/**
 * Times of different places that have to stay in order, each derived from one that it depends on, ms. The table in
 * time-budget.test.ts holds the order and says why. Times that nothing else depends on stay with their users.
 */

/** The promise: with Redis away, full or slow, a request that is refused for it has its answer within this. */
export const REFUSAL_PROMISE_MS = 1_000;
/** By when the answer of a refused request is sent, counted from its receipt; what is left is for the way to the client. */
export const REFUSED_BY_MS = REFUSAL_PROMISE_MS - 200;
/** No single Redis command that a client waits for may take longer: a request whose admission does is refused. */
export const COMMAND_TIMEOUT_MS = REFUSED_BY_MS - 50;
/** How long a gateway waits for replicas to have what it has written: within it a command behind it is answered in time. */
export const REPLICAS_WAIT_MS = 200;
/** How long Sentinels have to say whether the primary still is it, where fewer replicas have a write than followed. */
export const SENTINELS_ASKED_MS = 300;
/** Nor may making a connection. */
export const REDIS_CONNECT_TIMEOUT_MS = COMMAND_TIMEOUT_MS;
/** How long an answer waits until its event is in Redis; a refusal waits for at most what is left until `REFUSED_BY_MS`. */
export const EVENT_WAIT_MS = 250;

/** How often a worker asks whether Redis answers. */
export const PRESENCE_ASK_MS = 250;
/** Without an answer for so long, Redis counts as away for workers: gateways wait as long before they refuse a request. */
export const REDIS_AWAY_MS = COMMAND_TIMEOUT_MS;
/**
 * A job older than this is asked about before its model call: a gateway may have refused its request, because the write
 * of the job was slow.
 */
export const LATE_JOB_MS = COMMAND_TIMEOUT_MS - 250;
/** Between two tries of a gateway to withdraw the requests that it refused while Redis was away. */
export const WITHDRAWAL_RETRY_MS = 100;
/** How long jobs from before Redis's return wait until gateways have withdrawn what they refused. */
export const WITHDRAWALS_FIRST_MS = 2 * REFUSAL_PROMISE_MS;

/** No command blocks longer on the server. */
export const LONGEST_BLOCK_MS = 2_000;
/** An operator's change, which waits until it stands in the append-only file. */
export const CHANGE_TIMEOUT_MS = LONGEST_BLOCK_MS + 1_000;
/** How often a connection that only listens asks for an answer. */
export const LISTENER_ASK_MS = LONGEST_BLOCK_MS / 2;
/** A connection for clients' commands on which one waits so long without a byte of an answer is dead, and made anew. */
export const FAIL_FAST_SILENCE_MS = COMMAND_TIMEOUT_MS + 1_250;
/** The same of a connection whose commands may block. */
export const PATIENT_SILENCE_MS = LONGEST_BLOCK_MS + 1_500;
/** A connection that is not ready for so long, however Redis is, is made anew from the beginning. */
export const NOT_READY_MS = 15_000;

/** How often a worker looks for others that may be gone, and how often while one may be. */
export const WORKER_LOOK_MS = 500;
export const WARY_LOOK_MS = WORKER_LOOK_MS / 2;
/** A worker that has had no connection to listen for so long, and has not said that it is there, is gone. */
export const WORKER_GONE_MS = REDIS_CONNECT_TIMEOUT_MS + 450;
/** The lock of a job whose worker is there, but does not renew it, ends after this; so does one whose machine is gone. */
export const JOB_LOCK_MS = 5_000;
/** How often workers look for locks to renew: those that are older than this. */
export const LOCK_RENEWAL_MS = JOB_LOCK_MS / 4;
/** An absence of Redis that is shorter ends no lock, because each was renewed so lately: it explains no loss of a job. */
export const LOCK_ENDING_ABSENCE_MS = JOB_LOCK_MS - 2 * LOCK_RENEWAL_MS;
/** How often workers look for jobs whose lock has ended. */
export const STALLED_CHECK_MS = 1_500;
/** An event loop that is silent for so long does not come back in time for clients: its process ends itself. */
export const WATCHDOG_MS = 2 * JOB_LOCK_MS;
export const HEARTBEAT_MS = 3_000;
/** An instance without a heartbeat for this long is gone. */
export const INSTANCE_EXPIRY_MS = 4 * HEARTBEAT_MS;
/** A worker with a free slot that has not touched a job for this long while jobs wait is stuck. */
export const IDLE_PROGRESS_MS = WATCHDOG_MS + JOB_LOCK_MS;

/** A worker that has the job of a client who left has this long to settle it before it is asked again to stop. */
export const STOP_REPEAT_MS = 1_000;
/** How long after its deadline an unsettled reservation is given back by the sweeper. */
export const SWEEP_GRACE_MS = 5_000;

/** No part of a health answer takes longer in stats-service. */
export const HEALTH_PART_MS = COMMAND_TIMEOUT_MS;
/**
 * The promise: a client of a path that stats-service answers gets its answer within this, also when stats-service
 * hangs.
 */
export const STATS_PROMISE_MS = 5_000;
/** How long stats-service has for the head of an answer, and for a whole health answer. */
export const STATS_PATIENCE_MS = STATS_PROMISE_MS - 1_000;

/**
 * How long a request, or the answer to one, may be on its way. Long enough for 10 MB over a slow line (90 KB a second); what
 * is much slower is cut earlier, see the gateway's pace.ts.
 */
export const TRANSFER_TIMEOUT_MS = 120_000;

/** What is left of a gateway's drain for requests that are given up at its end. */
export const LAST_ANSWERS_MS = REFUSAL_PROMISE_MS + 500;
/** What a stopping worker keeps of its time for handing jobs back and closing connections. */
export const STOP_RESERVE_MS = 2_000;
