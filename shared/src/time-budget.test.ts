import { expect, test } from '@jest/globals';
import * as times from './time-budget.ts';

type Name = keyof typeof times;
/** Times, each with how often it counts. */
type Sum = Partial<Record<Name, number>>;

const MS: Readonly<Record<Name, number>> = { ...times };

/** Each row: what stays below what, and why. */
const ORDER: readonly [lower: Sum, upper: Sum, why: string][] = [
  [{ COMMAND_TIMEOUT_MS: 1 }, { REFUSED_BY_MS: 1 }, 'a refusal for a slow Redis is made before it has to be sent'],
  [{ REFUSED_BY_MS: 1 }, { REFUSAL_PROMISE_MS: 1 }, 'the answer needs time on its way'],
  [{ EVENT_WAIT_MS: 1 }, { COMMAND_TIMEOUT_MS: 1 }, 'statistics hold an answer up for less than Redis itself may'],
  [{ REDIS_CONNECT_TIMEOUT_MS: 1 }, { REFUSAL_PROMISE_MS: 1 }, 'a connection that cannot be made delays no refusal'],
  [
    { REPLICAS_WAIT_MS: 2 },
    { COMMAND_TIMEOUT_MS: 1 },
    'what is behind a wait for replicas, and then waits for them itself, is answered in time',
  ],
  [
    { REPLICAS_WAIT_MS: 2, SENTINELS_ASKED_MS: 1 },
    { COMMAND_TIMEOUT_MS: 1 },
    'a wait of its own behind that of others, with a question to the Sentinels, is over before a request is refused',
  ],
  [{ LATE_JOB_MS: 1 }, { COMMAND_TIMEOUT_MS: 1 }, 'whatever a gateway may have refused is asked about before it runs'],
  [{ PRESENCE_ASK_MS: 2 }, { REDIS_AWAY_MS: 1 }, 'one lost answer does not make Redis away'],
  [{ REDIS_AWAY_MS: 1 }, { REFUSED_BY_MS: 1 }, 'an outage long enough to refuse requests is seen by workers too'],
  [
    { COMMAND_TIMEOUT_MS: 1, WITHDRAWAL_RETRY_MS: 2 },
    { WITHDRAWALS_FIRST_MS: 1 },
    'gateways have a command and two tries to withdraw requests before workers run them',
  ],
  [{ COMMAND_TIMEOUT_MS: 1 }, { FAIL_FAST_SILENCE_MS: 1 }, 'a slow command alone does not cost the connection'],
  [{ LONGEST_BLOCK_MS: 1 }, { PATIENT_SILENCE_MS: 1 }, 'a blocking read that waits is not taken for a dead connection'],
  [
    { LISTENER_ASK_MS: 1 },
    { PATIENT_SILENCE_MS: 1 },
    'a connection that only listens asks before it would count as dead',
  ],
  [{ LONGEST_BLOCK_MS: 1 }, { CHANGE_TIMEOUT_MS: 1 }, 'a change that waits for the disk is not given up before'],
  [{ CHANGE_TIMEOUT_MS: 1 }, { STATS_PATIENCE_MS: 1 }, 'an operator learns from the service what came of a change'],
  [
    { LOCK_RENEWAL_MS: 2, COMMAND_TIMEOUT_MS: 2 },
    { JOB_LOCK_MS: 1 },
    'a slow renewal of a lock, and one more try, come before the lock ends',
  ],
  [
    { PATIENT_SILENCE_MS: 2, REDIS_CONNECT_TIMEOUT_MS: 2 },
    { NOT_READY_MS: 1 },
    'a connection has several tries of its own before it is made anew from the beginning',
  ],
  [{ WARY_LOOK_MS: 3 }, { WORKER_GONE_MS: 1 }, 'several looks in turn say that a worker is gone'],
  [{ WORKER_LOOK_MS: 1 }, { REDIS_AWAY_MS: 1 }, 'looks for lost workers show whether Redis serves all the while'],
  [
    { REDIS_CONNECT_TIMEOUT_MS: 1, WARY_LOOK_MS: 1 },
    { WORKER_GONE_MS: 1 },
    'a worker whose connections broke makes new ones before it counts as gone, though the first try is lost',
  ],
  [
    { WORKER_LOOK_MS: 1, WORKER_GONE_MS: 1, WARY_LOOK_MS: 1 },
    { JOB_LOCK_MS: 1 },
    'a worker that is gone is known long before its locks end',
  ],
  [{ REDIS_AWAY_MS: 1 }, { LOCK_ENDING_ABSENCE_MS: 1 }, 'an absence that ends locks is one that workers see'],
  [{ STALLED_CHECK_MS: 1 }, { JOB_LOCK_MS: 1 }, 'a lock that has ended is noticed sooner than a lock lasts'],
  [
    { JOB_LOCK_MS: 1, STALLED_CHECK_MS: 1 },
    { WATCHDOG_MS: 1 },
    'jobs of a silent worker run elsewhere before it ends itself',
  ],
  [{ HEARTBEAT_MS: 2 }, { INSTANCE_EXPIRY_MS: 1 }, 'a lost heartbeat does not make an instance gone'],
  [{ WATCHDOG_MS: 1 }, { INSTANCE_EXPIRY_MS: 1 }, 'a silent process is seen until it ends itself'],
  [{ WATCHDOG_MS: 1 }, { IDLE_PROGRESS_MS: 1 }, 'a silent worker is started again before it is reported as stuck'],
  [
    { JOB_LOCK_MS: 1, STALLED_CHECK_MS: 1 },
    { IDLE_PROGRESS_MS: 1 },
    'no worker counts as stuck while jobs of a dead one come back',
  ],
  [
    { COMMAND_TIMEOUT_MS: 1 },
    { STOP_REPEAT_MS: 1 },
    'a worker has time for its settling write before it is asked again to stop',
  ],
  [
    { REFUSAL_PROMISE_MS: 1, WITHDRAWALS_FIRST_MS: 1 },
    { SWEEP_GRACE_MS: 1 },
    'a gateway or worker that lives settles a request before the sweeper does',
  ],
  [{ STATS_PATIENCE_MS: 1 }, { TRANSFER_TIMEOUT_MS: 1 }, 'an answer begins before all of it must have come'],
  [{ HEALTH_PART_MS: 1 }, { STATS_PATIENCE_MS: 1 }, 'a health answer with a part missing arrives in time'],
  [
    { STATS_PATIENCE_MS: 1, COMMAND_TIMEOUT_MS: 1 },
    { STATS_PROMISE_MS: 1 },
    'the count in Redis comes before the request to stats-service',
  ],
  [
    { REFUSAL_PROMISE_MS: 1 },
    { LAST_ANSWERS_MS: 1 },
    'a request that is given up at the end of a drain gets its answer',
  ],
  [{ COMMAND_TIMEOUT_MS: 2 }, { STOP_RESERVE_MS: 1 }, 'jobs are handed back before a worker has to have stopped'],
];

const inMs = (sum: Sum) => Object.entries(sum).reduce((total, [name, often]) => total + MS[name as Name] * often, 0);

test.each(ORDER)('%j is less than %j: %s', (lower, upper) => {
  expect(inMs(lower)).toBeLessThan(inMs(upper));
});

test('every time has its place in the order', () => {
  const placed = new Set(ORDER.flatMap(([lower, upper]) => Object.keys(lower).concat(Object.keys(upper))));
  expect([...placed].toSorted()).toEqual(Object.keys(MS).toSorted());
});
