import { ReplyError } from 'ioredis';

/** The codes, which begin a reply, by which Redis says that it cannot do it now: still loading, full, or read-only. */
const NOT_NOW: ReadonlySet<string> = new Set(['LOADING', 'MISCONF', 'OOM', 'READONLY']);

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
  if (replied && !NOT_NOW.has(error.message.split(' ', 1)[0] ?? '')) return error;
  return new RedisAwayError(error.message, { cause: error, replied });
}
