import { ConfigError } from '@lontar/shared/config/read-config.ts';
import { RedisAwayError } from '@lontar/shared/redis-away.ts';
import { CommanderError } from 'commander';
import { RedisUnreachable } from './redis-unreachable.ts';
import { UnusableHome } from './unusable-home.ts';

/** What the exit codes of `lontar` mean; documented in `lontar --help`. */
export const EXIT = { ok: 0, failed: 1, usage: 2, notFound: 3, redisUnreachable: 4 } as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** A command that ends without doing what was asked, with a message for the operator. */
export class CommandFailure extends Error {
  readonly exitCode: ExitCode;

  constructor(exitCode: ExitCode, message: string) {
    super(message);
    this.name = 'CommandFailure';
    this.exitCode = exitCode;
  }
}

/** The exit code and message of whatever a command threw; the message is absent where it has been shown already. */
export function describeFailure(error: unknown): { exitCode: ExitCode; message?: string } {
  if (error instanceof CommanderError) return { exitCode: error.exitCode === 0 ? EXIT.ok : EXIT.usage };
  if (error instanceof CommandFailure) return { exitCode: error.exitCode, message: error.message };
  if (error instanceof ConfigError || error instanceof UnusableHome)
    return { exitCode: EXIT.usage, message: error.message };
  if (error instanceof RedisUnreachable) return { exitCode: EXIT.redisUnreachable, message: error.message };
  if (!(error instanceof Error)) return { exitCode: EXIT.failed, message: String(error) };
  const lostRedis = error instanceof RedisAwayError && !error.replied;
  if (lostRedis) return { exitCode: EXIT.redisUnreachable, message: `Redis went away: ${error.message}` };
  return { exitCode: EXIT.failed, message: error.message };
}
