import { AUDIT_ACTIONS, AUDIT_ID_PATTERN, type AuditEntry, readAudit } from '@lontar/shared/admin/audit.ts';
import { showHidden } from '@lontar/shared/hidden-characters.ts';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { alignColumns } from '../columns.ts';
import { type CommandContext, print } from '../command-context.ts';

const MOST_ENTRIES = 10_000;
const READ_AT_ONCE = 200;

interface AuditOptions {
  readonly limit: number;
  readonly action?: string;
  readonly target?: string;
  readonly by?: string;
  readonly before?: string;
}

/**
 * `lontar audit`: who changed what.
 *
 * @throws nothing itself; the command rejects when Redis fails
 */
export function addAuditCommand(program: Command, context: CommandContext): void {
  program
    .command('audit')
    .description('who changed what in the last 90 days, the newest first')
    .option('--limit <N>', 'entries at most', count, 50)
    .addOption(new Option('--action <ACTION>', 'only this, such as key.revoke').choices(AUDIT_ACTIONS))
    .option('--target <ID>', 'only what was done to this key, token, session or address')
    .option('--by <ID>', 'only what this token, session or user did')
    .option('--before <ENTRY>', 'only what is older than this entry (its id, with --json)', entryId)
    .action((options: AuditOptions) =>
      context.withRedis(async (redis) => {
        const { limit, ...filter } = options;
        const entries: AuditEntry[] = [];
        for (let before: string | undefined = filter.before; ; ) {
          const page = await readAudit(redis, { ...filter, before }, Math.min(READ_AT_ONCE, limit - entries.length));
          entries.push(...page.entries);
          before = page.next;
          if (before === undefined || entries.length >= limit) break;
        }
        print(context, entries, table(entries));
      }),
    );
}

function table(entries: readonly AuditEntry[]): string {
  if (entries.length === 0) return 'Nothing was changed that this asks for.';
  const rows = entries.map((entry) => [
    entry.at.slice(0, 19),
    showHidden(whoOf(entry)),
    showHidden(entry.actor.from ?? '-'),
    entry.outcome === 'done' ? entry.action : `${entry.action} (${entry.outcome})`,
    showHidden(entry.target) || '-',
    showHidden(changeOf(entry)),
  ]);
  return alignColumns([['AT', 'WHO', 'FROM', 'WHAT', 'TARGET', 'CHANGE'], ...rows]);
}

function whoOf({ actor: { by, id, name } }: AuditEntry): string {
  return name === undefined ? `${by} ${id}` : `${by} ${id} ${name}`;
}

/** `perHour 5 → 10`, of each field that was or is. */
function changeOf({ before, after }: AuditEntry): string {
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])].toSorted();
  const shown = (value: unknown) =>
    value === undefined ? 'none' : typeof value === 'string' ? value : JSON.stringify(value);
  return names
    .map((name) =>
      before === null ? `${name} ${shown(after?.[name])}` : `${name} ${shown(before[name])} → ${shown(after?.[name])}`,
    )
    .join(', ');
}

function count(text: string): number {
  const value = Number(text);
  if (!/^\d{1,5}$/.test(text) || value < 1 || value > MOST_ENTRIES) {
    throw new InvalidArgumentError(`It must be a whole number from 1 to ${MOST_ENTRIES}.`);
  }
  return value;
}

function entryId(text: string): string {
  if (!AUDIT_ID_PATTERN.test(text))
    throw new InvalidArgumentError('It must be the id of an entry, such as 1770000000000-0.');
  return text;
}
