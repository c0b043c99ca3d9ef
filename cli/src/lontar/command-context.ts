import type { Environment } from '@lontar/shared/config/read-config.ts';
import type { Actor } from '@lontar/shared/keys/actor.ts';
import type { KeyPlace } from '@lontar/shared/keys/create-key.ts';
import type { Redis, RedisSettings } from '@lontar/shared/redis-connection.ts';
import { locateRedis, requirePepper } from '../locate/locate.ts';
import { connectOnce } from '../redis/connect.ts';
import type { Surroundings } from '../settings/environment.ts';
import { nameCommands } from '../settings/typed-command.ts';
import { operatorAt } from './operator.ts';

/** What is given to a command, and where its words go: data to `out`, everything else to `err`. */
export interface Streams {
  readonly in: AsyncIterable<Uint8Array>;
  readonly out: { write(text: string): unknown };
  readonly err: { write(text: string): unknown };
}

/** What every command gets. A command touches nothing else of the process. */
export interface CommandContext {
  readonly surroundings: Surroundings;
  readonly streams: Streams;
  /** Names commands in a message as they are typed here, see `nameCommands`. */
  typed(message: string): string;
  /** Whether `--json` was given. */
  json(): boolean;
  /** Runs with a connection to the service's Redis, which is closed afterwards. */
  withRedis<Result>(use: (redis: Redis, target: RedisSettings) => Promise<Result>): Promise<Result>;
  /** As `withRedis`, with the secret that keys are hashed under. */
  withKeys<Result>(use: (keys: KeyPlace) => Promise<Result>): Promise<Result>;
  /** In whose name the command changes something. */
  actor(): Actor;
}

/**
 * What the commands of one run share: surroundings, output, and a connection to Redis that is opened when it is needed.
 *
 * @param readSurroundings called once, when the first command asks for them
 * @param environment of this process, which says how commands are typed here
 * @throws nothing itself; `withRedis` rejects with RedisUnreachable, and when Redis fails
 */
export function createContext(
  readSurroundings: () => Surroundings,
  environment: Environment,
  streams: Streams,
  json: () => boolean,
): CommandContext {
  let read: Surroundings | undefined;
  // Not before a command wants them: help and version are also for those whose settings are wrong.
  const surroundings = () => (read ??= readSurroundings());
  const withRedis: CommandContext['withRedis'] = async (use) => {
    const { target } = locateRedis(surroundings());
    const redis = await connectOnce(target, 'lontar-cli');
    try {
      return await use(redis, target);
    } finally {
      redis.disconnect();
    }
  };
  return {
    get surroundings() {
      return surroundings();
    },
    streams,
    typed: (message) => nameCommands(message, environment),
    json,
    actor: () => operatorAt(surroundings().environment),
    withRedis,
    withKeys(use) {
      const pepper = requirePepper(surroundings());
      return withRedis((redis) => use({ redis, pepper }));
    },
  };
}

/** Prints a result: the data as JSON with `--json`, else the text. */
export function print(context: CommandContext, data: unknown, text: string): void {
  context.streams.out.write(context.json() ? `${JSON.stringify(data, null, 2)}\n` : `${text}\n`);
}
