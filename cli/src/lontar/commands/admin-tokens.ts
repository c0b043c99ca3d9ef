import { ADMIN_ROLES, ADMIN_TOKEN_ID_PATTERN, type AdminRole } from '@lontar/shared/admin/admin-token.ts';
import {
  type AdminToken,
  createAdminToken,
  listAdminTokens,
  MOST_ADMIN_TOKENS,
  revokeAdminToken,
} from '@lontar/shared/admin/admin-tokens.ts';
import { waitForAppendOnlyFile } from '@lontar/shared/append-only.ts';
import { showHidden } from '@lontar/shared/hidden-characters.ts';
import { readRedisTime } from '@lontar/shared/redis-clock.ts';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { CommandFailure, EXIT } from '../../failure/failure.ts';
import { requirePepper } from '../../locate/locate.ts';
import { alignColumns } from '../columns.ts';
import { type CommandContext, print } from '../command-context.ts';
import { DURATION_EXAMPLES, type Moment } from '../duration.ts';
import { expiryMs, keyName, moment } from '../key-options.ts';

/**
 * `lontar admin-tokens …`: who may use the admin API, and as what.
 *
 * @throws nothing itself; the commands reject when Redis fails
 */
export function addAdminTokensCommand(program: Command, context: CommandContext): void {
  const tokens = program.command('admin-tokens').description('make, show and end tokens of the admin API');
  tokens
    .command('create')
    .description('make a token; it is shown once')
    .requiredOption('--name <NAME>', 'what lists and the audit log call it', keyName)
    .addOption(
      new Option('--role <ROLE>', 'viewer: counters, no text; support: keys, usage and blocks too; operator: all')
        .choices(ADMIN_ROLES)
        .makeOptionMandatory(),
    )
    .option(
      '--expires <DATE>',
      `when it ends: 2027-01-31, 2027-01-31T18:00Z, or from now: ${DURATION_EXAMPLES} (default: never)`,
      moment,
    )
    .action((options: { name: string; role: AdminRole; expires?: Moment }) => create(context, options));
  tokens
    .command('list')
    .description('all tokens, the newest first')
    .action(() =>
      context.withRedis(async (redis) => {
        const all = await listAdminTokens(redis);
        print(context, all.map(view), table(all));
      }),
    );
  tokens
    .command('revoke')
    .description('end a token for good; its next request is refused')
    .argument('<ID>', 'the 10 characters after lt_admin_', tokenId)
    .action((id: string) =>
      context.withRedis(async (redis) => {
        if (!(await revokeAdminToken(redis, id, context.actor()))) {
          throw new CommandFailure(EXIT.notFound, `There is no admin token ${id}. See: lontar admin-tokens list`);
        }
        await waitForAppendOnlyFile(redis);
        print(context, { id, revoked: true }, `The admin token ${id} is revoked.`);
      }),
    );
}

async function create(
  context: CommandContext,
  { name, role, expires }: { name: string; role: AdminRole; expires?: Moment },
): Promise<void> {
  const pepper = requirePepper(context.surroundings);
  await context.withRedis(async (redis) => {
    const expiresAt = expiryMs(expires, await readRedisTime(redis));
    const terms = { name, role, ...(expiresAt ? { expiresAt } : {}) };
    const made = await createAdminToken(redis, pepper, terms, context.actor());
    if (made === 'full') {
      throw new CommandFailure(
        EXIT.failed,
        `There are ${MOST_ADMIN_TOKENS} admin tokens already. End one: lontar admin-tokens revoke ID`,
      );
    }
    await waitForAppendOnlyFile(redis);
    const { id, ...shown } = view(made.record);
    print(context, { id, token: made.token, ...shown }, `${table([made.record])}\n\n${made.token}`);
    if (!context.json())
      context.streams.err.write('\nKeep the token: it is stored nowhere and cannot be shown again.\n');
  });
}

function view({ id, name, role, state, createdAt, expiresAt, revokedAt, lastUsedAt }: AdminToken) {
  const time = (at: number | undefined) => (at === undefined ? null : new Date(at).toISOString());
  return {
    id,
    name,
    role,
    state,
    createdAt: time(createdAt),
    expiresAt: time(expiresAt),
    revokedAt: time(revokedAt),
    lastUsedAt: time(lastUsedAt),
  };
}

function table(tokens: readonly AdminToken[]): string {
  if (tokens.length === 0) {
    return 'There are no admin tokens yet. Make one: lontar admin-tokens create --name NAME --role viewer';
  }
  const rows = tokens
    .map(view)
    .map((one) => [
      one.id,
      one.role,
      one.state,
      one.createdAt?.slice(0, 10) ?? '',
      one.expiresAt?.slice(0, 10) ?? 'never',
      one.lastUsedAt?.slice(0, 16) ?? 'never',
      showHidden(one.name),
    ]);
  return alignColumns([['ID', 'ROLE', 'STATE', 'CREATED', 'EXPIRES', 'LAST USED', 'NAME'], ...rows]);
}

function tokenId(text: string): string {
  if (!ADMIN_TOKEN_ID_PATTERN.test(text)) {
    throw new InvalidArgumentError(
      'It must be the id of an admin token: 10 letters and digits, see "lontar admin-tokens list".',
    );
  }
  return text;
}
