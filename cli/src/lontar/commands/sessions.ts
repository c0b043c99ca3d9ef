import { endSessions, listSessions } from '@lontar/shared/admin/session-list.ts';
import { waitForAppendOnlyFile } from '@lontar/shared/append-only.ts';
import type { OperatorSession } from '@lontar/shared/operator-sessions.ts';
import { type Command, InvalidArgumentError } from 'commander';
import { CommandFailure, EXIT } from '../../failure/failure.ts';
import { alignColumns } from '../columns.ts';
import { type CommandContext, print } from '../command-context.ts';

const ID_PATTERN = /^[0-9a-f]{12}$/;

/**
 * `lontar sessions …`: who is signed in to the dashboard, and an end to it.
 *
 * @throws nothing itself; the commands reject when Redis fails
 */
export function addSessionsCommand(program: Command, context: CommandContext): void {
  const sessions = program.command('sessions').description('show and end sessions of the dashboard');
  sessions
    .command('list')
    .description('who is signed in: from where, since when, and when last seen')
    .action(() =>
      context.withRedis(async (redis) => {
        const open = await listSessions(redis);
        print(context, open.map(view), table(open));
      }),
    );
  sessions
    .command('end')
    .description('sign out: one session, or all of them')
    .argument('[ID]', 'the session, see "lontar sessions list"', sessionId)
    .option('--all', 'every session')
    .action((id: string | undefined, { all = false }: { all?: boolean }) =>
      context.withRedis(async (redis) => {
        if ((id === undefined) !== all) {
          throw new CommandFailure(
            EXIT.usage,
            'error: give the id of one session, or --all. See: lontar sessions list',
          );
        }
        const ended = await endSessions(redis, context.actor(), id);
        if (id !== undefined && ended === 0) {
          throw new CommandFailure(EXIT.notFound, `There is no session ${id}. See: lontar sessions list`);
        }
        await waitForAppendOnlyFile(redis);
        print(context, { ended }, `${ended} session(s) ended. To keep a person out, change DASHBOARD_TOKEN as well.`);
      }),
    );
}

function view({ id, address, by, signedInAt, seenAt, expiresAt }: OperatorSession) {
  const [since, lastSeen, until] = [signedInAt, seenAt, expiresAt].map((at) => new Date(at).toISOString());
  return { id, address, by, signedInAt: since, lastSeenAt: lastSeen, expiresAt: until };
}

function table(open: readonly OperatorSession[]): string {
  if (open.length === 0) return 'No operator is signed in.';
  const rows = open
    .map(view)
    .map((one) => [one.id, one.address, one.by, one.signedInAt, one.lastSeenAt, one.expiresAt]);
  return alignColumns([['ID', 'FROM', 'BY', 'SINCE', 'LAST SEEN', 'UNTIL'], ...rows] as string[][]);
}

function sessionId(text: string): string {
  if (!ID_PATTERN.test(text)) {
    throw new InvalidArgumentError(
      'It must be the id of a session: 12 hexadecimal digits, see "lontar sessions list".',
    );
  }
  return text;
}
