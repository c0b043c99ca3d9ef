import { gatewaySettings } from '@lontar/gateway/config.ts';
import { KEY_ID_PATTERN } from '@lontar/shared/api-key.ts';
import { ConfigError, readConfig } from '@lontar/shared/config/read-config.ts';
import { type Command, InvalidArgumentError } from 'commander';
import { z } from 'zod';
import { CommandFailure, EXIT } from '../../failure/failure.ts';
import type { DeleteResult } from '../../keys/delete-key.ts';
import type { KeyLimits } from '../../keys/key-limits.ts';
import type { ChangeResult, IssuedKey, KeyInUse, KeyStore } from '../../keys/key-store.ts';
import { limitsThatNeverBind } from '../../keys/limits-that-never-bind.ts';
import { type CommandContext, print } from '../command-context.ts';
import { addKeyOptions, duration, type KeyOptions, keyLimits, keyName } from '../key-options.ts';
import { describeKey, tableOfKeys, viewKey } from '../key-view.ts';

const DAY_MS = 86_400_000;
const addressSettings = z.object({ RATE_LIMIT_PER_HOUR: gatewaySettings.shape.RATE_LIMIT_PER_HOUR });

/** `lontar keys …`: makes, shows, changes and ends API keys. */
export function addKeysCommand(program: Command, context: CommandContext): void {
  const keys = program.command('keys').description('make, show, change and end API keys');
  addCreate(keys, context);
  keys
    .command('list')
    .description('all keys, oldest first')
    .action(() => context.withKeys((store) => listKeys(store, context)));
  keys
    .command('show')
    .description('one key: state, limits and use')
    .argument('<ID>', 'the 10 characters after lt_live_', keyId)
    .action((id: string) =>
      context.withKeys(async (store) => {
        await showKey(store, id, context);
      }),
    );
  addUpdate(keys, context);
  keys
    .command('revoke')
    .description('end a key for good; its next request is refused')
    .argument('<ID>', 'the key', keyId)
    .action((id: string) =>
      context.withKeys(async (store) => {
        requireFound(await store.revoke(id), id);
        await showKey(store, id, context);
      }),
    );
  addRotate(keys, context);
  addDelete(keys, context);
}

function addCreate(keys: Command, context: CommandContext): void {
  const create = keys
    .command('create')
    .description('make a key; it is shown once')
    .requiredOption('--name <NAME>', 'what lists and the dashboard call it', keyName);
  addKeyOptions(create, false).action((options: KeyOptions & { name: string }) =>
    context.withKeys(async (store) => {
      const nowMs = await store.now();
      const limits = { ...keyLimits(options, nowMs), name: options.name };
      const issued = await store.create(limits);
      printIssued(issued, nowMs, context);
      warnOfLimits(issued.record, limits, context);
    }),
  );
}

function addUpdate(keys: Command, context: CommandContext): void {
  const update = keys
    .command('update')
    .description('change the name or limits of a key; what is not given stays')
    .argument('<ID>', 'the key', keyId)
    .option('--name <NAME>', 'what lists and the dashboard call it', keyName);
  addKeyOptions(update, true).action((id: string, options: KeyOptions) =>
    context.withKeys(async (store) => {
      if (Object.keys(options).length === 0) {
        throw new CommandFailure(EXIT.usage, 'error: nothing to change was given. See: lontar keys update --help');
      }
      const limits = keyLimits(options, await store.now());
      requireFound(await store.update(id, limits), id);
      warnOfLimits(await showKey(store, id, context), limits, context);
    }),
  );
}

function addRotate(keys: Command, context: CommandContext): void {
  keys
    .command('rotate')
    .description('give a key a new secret under the same id; it is shown once')
    .argument('<ID>', 'the key', keyId)
    .option(
      '--overlap <DURATION>',
      'how long the old secret stays good (24h unless given); 0 ends it at once',
      duration,
    )
    .option('--end-overlap', 'end the secret before the old one, if it is still good')
    .addHelpText(
      'after',
      '\nA key has one old secret at most: while the overlap of an earlier rotation runs, --end-overlap is needed.',
    )
    .action((id: string, { overlap, endOverlap = false }: { overlap?: number; endOverlap?: boolean }) =>
      context.withKeys(async (store) => {
        const issued = await store.rotate(id, overlap ?? DAY_MS, { endOverlap });
        if (issued === 'missing') throw notFound(id);
        if (issued === 'revoked') throw revoked(id);
        if ('earlierUntil' in issued) throw overlapping(id, issued.earlierUntil);
        printIssued(issued, await store.now(), context);
      }),
    );
}

function addDelete(keys: Command, context: CommandContext): void {
  keys
    .command('delete')
    .description('delete a revoked key with all that is kept of it, so that it takes no more memory')
    .argument('<ID>', 'the key', keyId)
    .action((id: string) =>
      context.withKeys(async (store) => {
        const result = await store.delete(id);
        if (result.outcome !== 'deleted') throw notDeleted(id, result);
        print(context, { id, deleted: true }, `The key ${id} is deleted.`);
      }),
    );
}

async function listKeys(store: KeyStore, context: CommandContext): Promise<void> {
  const nowMs = await store.now();
  const { records, unreadable } = await store.list();
  const views = records.map((record) => viewKey(record, nowMs));
  const isNoneReadable = records.length === 0 && unreadable.length > 0;
  print(context, views, isNoneReadable ? 'No key can be read.' : tableOfKeys(views));
  if (unreadable.length > 0) {
    throw new CommandFailure(EXIT.failed, unreadable.map(({ message }) => message).join('\n'));
  }
}

async function showKey(store: KeyStore, id: string, context: CommandContext): Promise<KeyInUse> {
  const record = await store.find(id);
  if (record === undefined) throw notFound(id);
  const freeFailuresLastHour = await store.freeFailures(id);
  const view = { ...viewKey(record, await store.now()), freeFailuresLastHour };
  print(context, view, describeKey(view));
  return record;
}

/** Says of the limits that were given just now which of them can never bind, by the settings that are known here. */
function warnOfLimits(record: KeyInUse, given: KeyLimits, { surroundings, streams }: CommandContext): void {
  for (const warning of limitsThatNeverBind(record, given, addressPerHour(surroundings.environment))) {
    streams.err.write(`warning: ${warning}\n`);
  }
}

function addressPerHour(environment: CommandContext['surroundings']['environment']): number | undefined {
  try {
    return readConfig(addressSettings, environment).RATE_LIMIT_PER_HOUR;
  } catch (error) {
    // A setting that is wrong keeps the gateway from starting, but no key from being made.
    if (error instanceof ConfigError) return undefined;
    throw error;
  }
}

/** The one time that a key is shown. */
function printIssued({ key, record }: IssuedKey, nowMs: number, context: CommandContext): void {
  const { id, ...view } = viewKey(record, nowMs);
  print(context, { id, key, ...view }, `${describeKey({ id, ...view })}\n\n${key}`);
  if (!context.json()) context.streams.err.write('\nKeep the key: it is stored nowhere and cannot be shown again.\n');
}

function keyId(text: string): string {
  if (!KEY_ID_PATTERN.test(text)) {
    throw new InvalidArgumentError('It must be the id of a key: 10 letters and digits, see "lontar keys list".');
  }
  return text;
}

function requireFound(result: ChangeResult, id: string): void {
  if (result === 'missing') throw notFound(id);
  if (result === 'revoked') throw revoked(id);
}

function notDeleted(id: string, result: DeleteResult): CommandFailure {
  if (result.outcome === 'missing') return notFound(id);
  if (result.outcome === 'active') {
    return new CommandFailure(
      EXIT.failed,
      `The key ${id} was not revoked, so its callers may be using it. Nothing was changed. End it first: lontar keys revoke ${id}`,
    );
  }
  const count = 'count' in result ? result.count : 0;
  const what =
    result.outcome === 'files'
      ? `${count} of its files are still being removed, which a running gateway does within a minute`
      : `${count} of its requests are not finished yet`;
  return new CommandFailure(
    EXIT.failed,
    `The key ${id} cannot be deleted now: ${what}. Nothing was changed. Try again then.`,
  );
}

function notFound(id: string): CommandFailure {
  return new CommandFailure(EXIT.notFound, `There is no key ${id}. See: lontar keys list`);
}

function revoked(id: string): CommandFailure {
  return new CommandFailure(EXIT.failed, `The key ${id} is revoked. Make a new one: lontar keys create --name NAME`);
}

function overlapping(id: string, untilMs: number): CommandFailure {
  const until = new Date(untilMs).toISOString();
  return new CommandFailure(
    EXIT.failed,
    `The key ${id} was rotated before, and its secret from before then is good until ${until}; another rotation would end it at once. Nothing was changed. Wait until then, or add --end-overlap to end it now.`,
  );
}
