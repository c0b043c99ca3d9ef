import {
  KEY_ORDERS,
  KEY_STATES,
  type KeyOrder,
  type KeyState,
  MOST_LISTED_KEYS,
} from '@lontar/shared/keys/key-query.ts';
import { viewKey } from '@lontar/shared/keys/key-view.ts';
import { listKeys } from '@lontar/shared/keys/list-keys.ts';
import { type KeyInUse, type KeyList, keysNow, readAllKeys } from '@lontar/shared/keys/read-key.ts';
import type { Redis } from '@lontar/shared/redis-connection.ts';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { CommandFailure, EXIT } from '../../failure/failure.ts';
import { type CommandContext, print } from '../command-context.ts';
import { tableOfKeys } from '../key-texts.ts';

interface ListOptions {
  readonly search?: string;
  readonly owner?: string;
  readonly state?: KeyState;
  readonly sort?: KeyOrder;
  readonly descending?: boolean;
  readonly limit?: number;
}

/**
 * `lontar keys list`.
 *
 * @throws nothing itself; the command rejects with CommandFailure where a key cannot be read, and when Redis fails
 */
export function addListCommand(keys: Command, context: CommandContext): void {
  keys
    .command('list')
    .description('all keys, oldest first, or some of them')
    .option('--search <TEXT>', 'keys whose name, one of its words, or owner begins with it; or an id')
    .option('--owner <OWNER>', 'keys of this owner')
    .addOption(new Option('--state <STATE>', 'keys of this state').choices(KEY_STATES))
    .addOption(new Option('--sort <BY>', 'in this order (default: created)').choices(KEY_ORDERS))
    .option('--descending', 'in the opposite order')
    .option('--limit <N>', 'how many at most', atMost)
    .action((options: ListOptions) => context.withKeys(({ redis }) => printList(redis, options, context)));
}

async function printList(redis: Redis, options: ListOptions, context: CommandContext): Promise<void> {
  const nowMs = await keysNow(redis);
  const { records, unreadable } =
    Object.keys(options).length === 0 ? await readAllKeys(redis) : await readSome(redis, options);
  const views = records.map((record) => viewKey(record, nowMs));
  const isNoneReadable = records.length === 0 && unreadable.length > 0;
  const table = tableOfKeys(views, Object.keys(options).length > 0);
  // A table of keys holds names, which may read like a command; without keys it is a message.
  const text = views.length === 0 ? context.typed(table) : table;
  print(context, views, isNoneReadable ? 'No key can be read.' : text);
  if (unreadable.length > 0) {
    throw new CommandFailure(EXIT.failed, unreadable.map(({ message }) => message).join('\n'));
  }
}

/** Page by page, so that tens of thousands of keys do not hold Redis. */
async function readSome(redis: Redis, { limit = Number.POSITIVE_INFINITY, ...query }: ListOptions): Promise<KeyList> {
  const records: KeyInUse[] = [];
  const unreadable: KeyList['unreadable'][number][] = [];
  let cursor: string | null | undefined;
  while (cursor !== null && records.length < limit) {
    const most = Math.min(limit - records.length, MOST_LISTED_KEYS);
    const page = await listKeys(redis, { ...query, limit: most, cursor: cursor ?? undefined });
    records.push(...page.keys);
    unreadable.push(...page.unreadable);
    cursor = page.cursor;
  }
  return { records, unreadable };
}

function atMost(text: string): number {
  if (!/^[1-9]\d{0,6}$/.test(text)) throw new InvalidArgumentError('It must be a whole number from 1 to 9999999.');
  return Number(text);
}
