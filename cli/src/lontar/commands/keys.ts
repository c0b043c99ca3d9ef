import { gatewaySettings } from '@lontar/gateway/config.ts';
import { KEY_ID_PATTERN } from '@lontar/shared/api-key.ts';
import { ConfigError, readConfig } from '@lontar/shared/config/read-config.ts';
import { showHidden } from '@lontar/shared/hidden-characters.ts';
import { deleteKey, revokeKey, rotateKey, updateKey } from '@lontar/shared/keys/change-key.ts';
import { createKey, type KeyPlace } from '@lontar/shared/keys/create-key.ts';
import { KeyNotFound, KeyRefusal, KeyRevoked, OverlapRuns } from '@lontar/shared/keys/key-refusals.ts';
import type { KeyTerms } from '@lontar/shared/keys/key-terms.ts';
import { viewKey } from '@lontar/shared/keys/key-view.ts';
import { limitsThatNeverBind } from '@lontar/shared/keys/limits-that-never-bind.ts';
import { countFreeFailures, type KeyInUse, keysNow, showKey } from '@lontar/shared/keys/read-key.ts';
import type { Redis } from '@lontar/shared/redis-connection.ts';
import { type Command, InvalidArgumentError } from 'commander';
import { z } from 'zod';
import { CommandFailure, EXIT } from '../../failure/failure.ts';
import { type CommandContext, print } from '../command-context.ts';
import { addKeyOptions, duration, type KeyOptions, keyName, keyTerms } from '../key-options.ts';
import { describeKey } from '../key-texts.ts';
import { withKnownModels } from '../known-models.ts';
import { addListCommand } from './list-keys.ts';

const DAY_MS = 86_400_000;
const addressSettings = z.object({ RATE_LIMIT_PER_HOUR: gatewaySettings.shape.RATE_LIMIT_PER_HOUR });

/**
 * `lontar keys …`: makes, shows, changes and ends API keys.
 *
 * @throws nothing itself; the commands reject with CommandFailure, and when Redis fails
 */
export function addKeysCommand(program: Command, context: CommandContext): void {
  const keys = program.command('keys').description('make, show, change and end API keys');
  addCreate(keys, context);
  addListCommand(keys, context);
  keys
    .command('show')
    .description('one key: state, limits and use')
    .argument('<ID>', 'the 10 characters after lt_live_', keyId)
    .action((id: string) =>
      inKeys(context, async ({ redis }) => {
        await printKey(redis, id, context);
      }),
    );
  addUpdate(keys, context);
  keys
    .command('revoke')
    .description('end a key for good; its next request is refused')
    .argument('<ID>', 'the key', keyId)
    .action((id: string) =>
      inKeys(context, async ({ redis }) => {
        await revokeKey(redis, id, { actor: context.actor() });
        await printKey(redis, id, context);
      }),
    );
  keys
    .command('delete')
    .description('remove a key with its limits and uploads; its counted usage stays')
    .argument('<ID>', 'the key', keyId)
    .action((id: string) =>
      inKeys(context, async ({ redis }) => {
        const { record } = await deleteKey(redis, id, { actor: context.actor() });
        const view = viewKey(record, await keysNow(redis));
        print(context, { deleted: true, ...view }, `Deleted the key ${id}, ${showHidden(view.name)}.`);
      }),
    );
  addRotate(keys, context);
}

function addCreate(keys: Command, context: CommandContext): void {
  const create = keys
    .command('create')
    .description('make a key; it is shown once')
    .requiredOption('--name <NAME>', 'what lists and the dashboard call it', keyName);
  addKeyOptions(create, false).action((given: KeyOptions & { name: string }) =>
    inKeys(context, async (place) => {
      const options = await withKnownModels(context, given);
      const nowMs = await keysNow(place.redis);
      const terms = { ...keyTerms(options, nowMs), name: options.name };
      const issued = await createKey(place, terms, { actor: context.actor() });
      printIssued(issued, nowMs, context);
      warnOfLimits(issued.record, terms, context);
    }),
  );
}

function addUpdate(keys: Command, context: CommandContext): void {
  const update = keys
    .command('update')
    .description('change the name or limits of a key; options that you leave out change nothing')
    .argument('<ID>', 'the key', keyId)
    .option('--name <NAME>', 'what lists and the dashboard call it', keyName);
  addKeyOptions(update, true).action((id: string, given: KeyOptions) =>
    inKeys(context, async ({ redis }) => {
      const options = await withKnownModels(context, given);
      if (Object.keys(options).length === 0) {
        throw new CommandFailure(EXIT.usage, 'error: nothing to change was given. See: lontar keys update --help');
      }
      const terms = keyTerms(options, await keysNow(redis));
      await updateKey(redis, id, terms, { actor: context.actor() });
      warnOfLimits(await printKey(redis, id, context), terms, context);
    }),
  );
}

function addRotate(keys: Command, context: CommandContext): void {
  keys
    .command('rotate')
    .description('give a key a new secret under the same id; it is shown once')
    .argument('<ID>', 'the key', keyId)
    .option('--overlap <DURATION>', 'how long the old secret still works (default: 24h); 0 ends it at once', duration)
    .option('--end-overlap', 'end an older secret at once, if one still works')
    .addHelpText(
      'after',
      '\nA key has one old secret at most. To rotate it again while that one still works, add --end-overlap.',
    )
    .action((id: string, { overlap, endOverlap = false }: { overlap?: number; endOverlap?: boolean }) =>
      inKeys(context, async (place) => {
        const terms = { actor: context.actor(), overlapMs: overlap ?? DAY_MS, endOverlap };
        printIssued(await rotateKey(place, id, terms), await keysNow(place.redis), context);
      }),
    );
}

async function printKey(redis: Redis, id: string, context: CommandContext): Promise<KeyInUse> {
  const record = await showKey(redis, id);
  const freeFailuresLastHour = await countFreeFailures(redis, id);
  const view = { ...viewKey(record, await keysNow(redis)), freeFailuresLastHour };
  print(context, view, describeKey(view));
  return record;
}

/** Says of the limits that were given just now which of them can never bind, by the settings that are known here. */
function warnOfLimits(record: KeyInUse, given: KeyTerms, { surroundings, streams }: CommandContext): void {
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
function printIssued({ key, record }: { key: string; record: KeyInUse }, nowMs: number, context: CommandContext): void {
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

/** As `withKeys`; a refusal ends the command with what can be done about it. */
function inKeys(context: CommandContext, use: (keys: KeyPlace) => Promise<void>): Promise<void> {
  return context.withKeys(async (keys) => {
    try {
      await use(keys);
    } catch (error) {
      if (!(error instanceof KeyRefusal)) throw error;
      const exitCode = error instanceof KeyNotFound ? EXIT.notFound : EXIT.failed;
      throw new CommandFailure(exitCode, `${error.message}${adviceFor(error)}`);
    }
  });
}

function adviceFor(error: KeyRefusal): string {
  if (error instanceof KeyNotFound) return ' See: lontar keys list';
  if (error instanceof KeyRevoked) return ' Make a new one: lontar keys create --name NAME';
  if (error instanceof OverlapRuns) return ' Wait until then, or add --end-overlap to end it now.';
  return '';
}
