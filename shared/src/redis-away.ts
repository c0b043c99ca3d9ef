import { ReplyError } from 'ioredis';

/**
 * The codes, which begin a reply, by which a server says that it does not take commands as the primary: it is a replica,
 * has become one while a command blocked, lacks its own primary, is still loading, or is not the node of a cluster that has
 * the keys. Another one may be the primary by now.
 */
const NOT_HERE: ReadonlySet<string> = new Set(
  'READONLY UNBLOCKED MASTERDOWN LOADING MOVED ASK CLUSTERDOWN TRYAGAIN'.split(' '),
);
/** The codes by which the primary says that it cannot do it now: it is full, cannot persist, or has too few replicas. */
const NOT_NOW: ReadonlySet<string> = new Set([...NOT_HERE, 'MISCONF', 'OOM', 'NOREPLICAS']);

/**
 * Redis cannot do now what it was asked to: no reply came, or one that says so. The caller may try again; where none came
 * the command may have been done all the same.
 */
export class RedisAwayError extends Error {
  /** Whether Redis replied. */
  readonly replied: boolean;

  constructor(message: string, { replied, ...options }: ErrorOptions & { readonly replied: boolean }) {
    super(message, options);
    this.name = 'RedisAwayError';
    this.replied = replied;
  }
}

/** What a command that failed is rejected with: errors of an absent Redis as `RedisAwayError`, with the same message. */
export function nameRedisAway(error: Error): Error {
  if (error instanceof RedisAwayError) return error;
  const replied = error instanceof ReplyError;
  // Whatever else ends a command is the connection's: it is closed, cannot be written to, or was silent for too long.
  if (replied && !NOT_NOW.has(codeOf(error))) return error;
  return new RedisAwayError(error.message, { cause: error, replied });
}

/** Whether a server refused a command because it is not the primary: nothing was done, and another server may take it. */
export function isRefusedHere(error: Error): boolean {
  return NOT_HERE.has(codeOf(error));
}

/** Whether a server has our keys in several slots, so that no script of ours runs there. */
export function isCrossSlot(error: Error): boolean {
  return codeOf(error) === 'CROSSSLOT';
}

function codeOf({ message }: Error): string {
  return message.split(' ', 1)[0] ?? '';
}
