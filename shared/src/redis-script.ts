import { createHash } from 'node:crypto';
import { Command } from 'ioredis';
import { correctionOf, meetingOf } from './clock-correction.ts';
import { expandScript } from './expand-script.ts';
import type { Redis } from './redis-connection.ts';

/** What a Lua script gives back here: nested lists of strings, integers and nothing. */
export type ScriptReply = string | number | null | ScriptReply[];

/** Bytes are sent as they are. */
export type ScriptArgument = string | number | Buffer;

export type RedisScript = (redis: Redis, keys: readonly string[], args: readonly ScriptArgument[]) => Promise<unknown>;

/**
 * Loads a script from a `.lua` file beside the caller, with what it includes (see `expandScript`).
 *
 * @param file the script's URL, `new URL('./x.lua', import.meta.url)`
 * @returns a function that runs it by its digest and, where Redis does not know it (restarted, or another replica),
 *   sends the whole text once
 * @throws Error where the file, or one that it includes, cannot be read
 */
export function loadScript(file: URL): RedisScript {
  return load(file, 'utf8');
}

/** As `loadScript`, for a script that answers in bytes: strings in its reply are Buffers. */
export function loadBinaryScript(file: URL): RedisScript {
  return load(file, null);
}

/** What script-includes/clock.lua begins with: it takes one argument more. */
const CLOCK = 'table.remove(ARGV)';

/** @param replyEncoding of strings in its reply; null leaves their bytes */
function load(file: URL, replyEncoding: 'utf8' | null): RedisScript {
  const source = expandScript(file);
  const digest = createHash('sha1').update(source).digest('hex');
  const tellsTime = source.includes(CLOCK);
  return async (redis, keys, given) => {
    const meeting = tellsTime ? meetingOf(redis) : undefined;
    if (meeting) await meeting;
    const args = tellsTime ? [...given, correctionOf(redis)] : given;
    // Made here: `call` takes each command apart to find its name, a callback and options that none of ours has.
    const send = (command: 'evalsha' | 'eval', words: ScriptArgument[]) =>
      redis.sendCommand(new Command(command, words, { replyEncoding }));
    try {
      return await send('evalsha', [digest, keys.length, ...keys, ...args]);
    } catch (error) {
      if (!(error instanceof Error) || !error.message.startsWith('NOSCRIPT')) throw error;
      return send('eval', [source, keys.length, ...keys, ...args]);
    }
  };
}
