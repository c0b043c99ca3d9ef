import { limitAddress } from '@lontar/shared/address.ts';
import {
  BLOCK_REASONS,
  type BlockedAddress,
  blockAddress,
  listBlockedAddresses,
  unblockAddress,
} from '@lontar/shared/admin/address-blocks.ts';
import { waitForAppendOnlyFile } from '@lontar/shared/append-only.ts';
import type { Redis } from '@lontar/shared/redis-connection.ts';
import { type Command, InvalidArgumentError } from 'commander';
import { CommandFailure, EXIT } from '../../failure/failure.ts';
import { alignColumns } from '../columns.ts';
import { type CommandContext, print } from '../command-context.ts';
import { duration } from '../key-options.ts';

const ABOUT_ADDRESS = 'an address; of IPv6 the whole /56 counts, as for all limits';

/**
 * `lontar ips …`: shows, blocks and unblocks callers' addresses.
 *
 * @throws nothing itself; the commands reject when Redis fails
 */
export function addIpsCommand(program: Command, context: CommandContext): void {
  const ips = program.command('ips').description("show, block and unblock callers' addresses");
  ips
    .command('list')
    .description('addresses that are refused now: blocked, banned for bad keys, or over their hourly limit')
    .action(() =>
      context.withRedis(async (redis) => {
        const blocked = await listBlockedAddresses(redis);
        print(context, blocked.map(view), table(blocked));
      }),
    );
  ips
    .command('block')
    .description('refuse an address from its next request on')
    .argument('<ADDRESS>', ABOUT_ADDRESS, address)
    .option('--for <DURATION>', 'how long (default: until it is unblocked)', blockDuration)
    .action((target: string, { for: forMs = 0 }: { for?: number }) =>
      context.withRedis(async (redis) => {
        await blockAddress(redis, target, forMs, context.actor());
        await waitForAppendOnlyFile(redis);
        const blocked = (await listBlockedAddresses(redis)).filter((one) => one.address === target);
        print(context, blocked.map(view)[0], table(blocked));
      }),
    );
  ips
    .command('unblock')
    .description('lift every block of an address; its hourly limit cannot be lifted')
    .argument('<ADDRESS>', ABOUT_ADDRESS, address)
    .action((target: string) =>
      context.withRedis(async (redis) => {
        if (!(await unblockAddress(redis, target, context.actor()))) throw await nothingToLift(redis, target);
        await waitForAppendOnlyFile(redis);
        print(context, { address: target, unblocked: true }, `${target} may call again, within its hourly limit.`);
      }),
    );
}

/** Why an address could not be unblocked. */
async function nothingToLift(redis: Redis, target: string): Promise<CommandFailure> {
  const listed = (await listBlockedAddresses(redis)).find((one) => one.address === target);
  const until = listed?.reason === 'limit' ? view(listed).until : null;
  if (until === null) return new CommandFailure(EXIT.notFound, `${target} is not blocked. See: lontar ips list`);
  return new CommandFailure(
    EXIT.failed,
    `${target} is not blocked but over its hourly limit, which cannot be lifted. It may call again at ${until}; RATE_LIMIT_PER_HOUR of the gateway sets the limit.`,
  );
}

function view({ address: blocked, reason, until }: BlockedAddress) {
  return { address: blocked, reason, until: until === null ? null : new Date(until).toISOString() };
}

function table(blocked: readonly BlockedAddress[]): string {
  if (blocked.length === 0) return 'No address is blocked.';
  const rows = blocked.map((one) => [one.address, view(one).until ?? 'unblocked', BLOCK_REASONS[one.reason]]);
  return alignColumns([['ADDRESS', 'UNTIL', 'BECAUSE'], ...rows]);
}

/** The form that limits are counted by; lists show IPv6 in it, so it is taken back. */
function address(text: string): string {
  const form = limitAddress(text.replace(/\/56$/, ''));
  if (form === 'unknown') {
    throw new InvalidArgumentError('It must be an address, such as 203.0.113.9 or 2001:db8::1.');
  }
  return form;
}

function blockDuration(text: string): number {
  const ms = duration(text);
  if (ms === 0) throw new InvalidArgumentError('It must be longer than 0; leave it out for a block without end.');
  return ms;
}
