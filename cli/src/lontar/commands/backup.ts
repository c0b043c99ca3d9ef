import { existsSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { gatewaySettings } from '@lontar/gateway/config.ts';
import { noteAction } from '@lontar/shared/admin/audit.ts';
import { waitForAppendOnlyFile } from '@lontar/shared/append-only.ts';
import { readConfig } from '@lontar/shared/config/read-config.ts';
import type { Redis } from '@lontar/shared/redis-connection.ts';
import { redisKeys } from '@lontar/shared/redis-keys.ts';
import { VERSION } from '@lontar/shared/version.ts';
import type { Command } from 'commander';
import { z } from 'zod';
import { FORMAT, FORMAT_VERSION, type Header } from '../../backup/backup-format.ts';
import { isSignedBy, pepperMark } from '../../backup/backup-signature.ts';
import { apiKeyIdOf, findDurableKeys } from '../../backup/durable-keys.ts';
import { DamagedBackup, type OpenBackup, openBackup, verifyBackup } from '../../backup/read-backup.ts';
import { restoreBackup } from '../../backup/restore-backup.ts';
import { listContents } from '../../backup/upload-contents.ts';
import { OccupiedPlace, requireReplaceable, writeBackup } from '../../backup/write-backup.ts';
import { CommandFailure, EXIT } from '../../failure/failure.ts';
import { findPepper } from '../../locate/locate.ts';
import { readRedisVersion } from '../../redis/redis-version.ts';
import { waitForReplicas, withReplica } from '../../redis/replicas.ts';
import { type CommandContext, print } from '../command-context.ts';
import { explainFileError } from '../file-failure.ts';

const { UPLOAD_STORAGE, UPLOAD_DIR } = gatewaySettings.shape;
const storageSettings = z.object({ UPLOAD_STORAGE, UPLOAD_DIR });

/** `lontar backup FILE`: everything that would be missed, in one file. */
export function addBackupCommand(program: Command, context: CommandContext): void {
  program
    .command('backup')
    .description('write API keys, counters, statistics, blocks and uploads into one file while the service runs')
    .argument('<FILE>', 'the file to write')
    .option('--force', 'replace the file if it exists')
    .option('--from-replica', 'read from a replica, once it has all data that the primary has now')
    .addHelpText(
      'after',
      '\nThe file is signed with KEY_PEPPER, which is never in it. Keep KEY_PEPPER too, in another place: without it no key of the\nbackup works, and a restore cannot tell whether the file was changed.',
    )
    .action((file: string, { force = false, fromReplica = false }: { force?: boolean; fromReplica?: boolean }) => {
      const path = resolve(file);
      requirePlace(path, force);
      const write = (redis: Redis) => backup(redis, path, context);
      return context.withRedis((redis, target) => (fromReplica ? withReplica(redis, target, write) : write(redis)));
    });
}

/** `lontar restore FILE`. */
export function addRestoreCommand(program: Command, context: CommandContext): void {
  program
    .command('restore')
    .description('replace all data of the service by a backup; the file is checked first')
    .argument('<FILE>', 'a file that "lontar backup" wrote')
    .option('--force', 'replace the API keys, counters and uploads that the service has')
    .option('--accept-unsigned', 'take a file although its signature is missing or cannot be checked')
    .addHelpText(
      'after',
      '\nThe author of the file decides which API keys work here, with which limits, and which files are served under\nyour address. The signature proves that a service with your KEY_PEPPER wrote it. --accept-unsigned is for files of\nversions before signatures, and for a lost KEY_PEPPER. Use it only if nobody else could write the file.',
    )
    .action((file: string, { force = false, acceptUnsigned = false }: RestoreOptions) =>
      context.withRedis((redis) => restore(redis, resolve(file), { force, acceptUnsigned }, context)),
    );
}

interface RestoreOptions {
  readonly force?: boolean;
  readonly acceptUnsigned?: boolean;
}

/** @throws CommandFailure where something stands that a backup must not replace */
function requirePlace(path: string, force: boolean): void {
  try {
    requireReplaceable(path);
  } catch (error) {
    throw inWords(error, 'written', path);
  }
  if (force || !existsSync(path)) return;
  throw new CommandFailure(EXIT.failed, `${path} exists. Choose another name, or add --force to replace it.`);
}

async function backup(redis: Redis, path: string, context: CommandContext): Promise<void> {
  const files = uploadFiles(context);
  const missing: string[] = [];
  const found = findPepper(context.surroundings);
  const header: Header = {
    format: FORMAT,
    version: FORMAT_VERSION,
    createdAt: new Date().toISOString(),
    lontar: VERSION,
    redis: await readRedisVersion(redis),
    pepperMark: found === undefined ? null : pepperMark(found.pepper),
    files: files !== undefined,
  };
  const writing = writeBackup(redis, path, {
    header,
    onMissing: (id: string) => void missing.push(id),
    ...(files === undefined ? {} : { files }),
    ...(found === undefined ? {} : { pepper: found.pepper }),
  });
  const written = await writing.catch((error: NodeJS.ErrnoException) => {
    const ofUpload = files !== undefined && error.path?.startsWith(files) ? error.path : undefined;
    throw inWords(error, ofUpload === undefined ? 'written' : 'read', ofUpload ?? path);
  });
  if (files === undefined) note(context, 'Contents of uploads are in the object store and not in the backup.');
  if (missing.length > 0)
    note(context, `${missing.length} uploads have no content on this disk: ${missing.join(', ')}`);
  if (found === undefined) {
    note(context, 'KEY_PEPPER is not known here: the file is not signed, and a restore asks for --accept-unsigned.');
  } else if (found.from === 'home') {
    const pepper = context.surroundings.home.secret('KEY_PEPPER');
    note(
      context,
      `To restore it on another machine, you also need KEY_PEPPER, which is in ${pepper}. Copy it there separately from this file.`,
    );
  }
  const { keys: entries, apiKeys, files: filesKept, sha256 } = written;
  print(
    context,
    { file: path, apiKeys, entries, files: filesKept, sha256, signed: found !== undefined, missingFiles: missing },
    `${path} holds ${holdings(apiKeys, filesKept)}, with counters, statistics and blocks (Redis entries: ${entries}). SHA-256 ${sha256}`,
  );
}

async function restore(
  redis: Redis,
  path: string,
  options: Required<RestoreOptions>,
  context: CommandContext,
): Promise<void> {
  const opened = await openBackup(path).catch((error: unknown) => {
    throw inWords(error, 'read', path);
  });
  try {
    await restoreOpened(redis, opened, options, context);
  } finally {
    await opened.file.close();
  }
}

async function restoreOpened(
  redis: Redis,
  opened: OpenBackup,
  { force, acceptUnsigned }: Required<RestoreOptions>,
  context: CommandContext,
): Promise<void> {
  const { path } = opened;
  const signature = await judgeSignature(opened, context);
  if (signature !== 'good' && !acceptUnsigned) throw notSigned(path, signature);
  const verified = await verifyBackup(opened).catch((error: unknown) => {
    throw inWords(error, 'read', path);
  });
  if (signature !== 'good')
    note(context, 'The signature of this file was not checked: you vouch for all that is in it.');
  const { pepper } = findPepper(context.surroundings) ?? {};
  const mark = verified.header.pepperMark;
  if (mark !== null && pepper !== undefined && mark !== pepperMark(pepper)) {
    note(context, 'KEY_PEPPER is not the one of the backup: no restored API key will work until it is.');
  }
  const folder = uploadFiles(context);
  // Who held an empty service's queue for the restore has left an entry there, and nothing to lose.
  const present = (await findDurableKeys(redis)).filter((name) => name !== redisKeys.audit);
  const contents = folder === undefined ? 0 : await countContents(folder);
  if (present.length + contents > 0 && !force) {
    const apiKeys = present.filter((name) => apiKeyIdOf(name) !== undefined).length;
    throw new CommandFailure(
      EXIT.failed,
      `This service has ${holdings(apiKeys, contents)} of its own, and counters; a restore would remove all of them (Redis entries: ${present.length}). Add --force if you want that.`,
    );
  }
  await restoreBackup(redis, verified, folder).catch((error: NodeJS.ErrnoException) => {
    const consequence = 'The restore has not finished: repeat it with --force.';
    const ofUpload = folder !== undefined && error.path !== path ? folder : undefined;
    throw explainFileError(error, ofUpload === undefined ? 'read' : 'written', ofUpload ?? path, consequence);
  });
  // Not before: the log is that of the backup now.
  await noteAction(redis, 'done', context.actor(), 'backup.restore', basename(path));
  await waitForAppendOnlyFile(redis);
  const lacking = await waitForReplicas(redis);
  if (lacking > 0) {
    const which = lacking === 1 ? 'A replica has' : `${lacking} replicas have`;
    throw new CommandFailure(
      EXIT.failed,
      `All is restored on the primary. ${which} not got it yet: a failover now would bring back what was there before. Keep the primary up until lontar doctor calls no replica behind.`,
    );
  }
  const { keys: entries, files } = verified.end;
  const { createdAt } = verified.header;
  print(
    context,
    { file: path, createdAt, apiKeys: verified.apiKeys, entries, files },
    `Restored ${holdings(verified.apiKeys, files)} of ${createdAt}, with counters, statistics and blocks (Redis entries: ${entries}).`,
  );
}

/** What a file's signature shows. `other`: it was made under another pepper; `unchecked`: the one here is not known. */
type Signature = 'good' | 'missing' | 'other' | 'unchecked';

/**
 * Looks at the signature before anything of the file is unpacked or taken for more than bytes.
 *
 * @throws CommandFailure where a file names the pepper that is here and does not fit: no flag makes that good
 */
async function judgeSignature({ path, file, part }: OpenBackup, context: CommandContext): Promise<Signature> {
  if (part.signature === undefined) return 'missing';
  const found = findPepper(context.surroundings);
  if (found === undefined) return 'unchecked';
  const isGood = await isSignedBy(found.pepper, file, part).catch((error: unknown) => {
    throw inWords(error, 'read', path);
  });
  if (isGood) return 'good';
  if (part.signature.mark !== pepperMark(found.pepper)) return 'other';
  throw new CommandFailure(
    EXIT.failed,
    `${path} does not fit its signature: it was changed or damaged after it was written. Take another backup. Nothing was changed.`,
  );
}

/** What each means and what to do. */
const NOT_SIGNED = {
  missing:
    'carries no signature: it is cut off, or of a version before signatures, or of an author without your KEY_PEPPER',
  other:
    'was signed under another KEY_PEPPER than the one here. Carry that one over: without it no API key of the backup works either',
  unchecked:
    'has a signature that cannot be checked: KEY_PEPPER is not known here. Set it to what the service had that wrote the backup',
} as const;

function notSigned(path: string, signature: keyof typeof NOT_SIGNED): CommandFailure {
  return new CommandFailure(
    EXIT.failed,
    `${path} ${NOT_SIGNED[signature]}. Its author decides which API keys work here and what files are served: add --accept-unsigned only where you know that you alone could write it. Nothing was changed.`,
  );
}

/** Says in the operator's words what reading or writing a backup threw. */
function inWords(error: unknown, tried: 'read' | 'written', path: string): unknown {
  const isInWords = error instanceof DamagedBackup || error instanceof OccupiedPlace;
  return isInWords ? new CommandFailure(EXIT.failed, error.message) : explainFileError(error, tried, path);
}

async function countContents(folder: string): Promise<number> {
  const names = await listContents(folder).catch((error: unknown) => {
    throw explainFileError(error, 'read', folder);
  });
  return names.length;
}

/** The folder with contents of uploads, as the gateway's disk storage keeps them; `undefined` with an object store. */
function uploadFiles({ surroundings: { environment, home, folder } }: CommandContext): string | undefined {
  const settings = readConfig(storageSettings, environment);
  if (settings.UPLOAD_STORAGE !== 'disk') return undefined;
  return join(
    settings.UPLOAD_DIR === undefined ? join(home.folder, 'uploads') : resolve(folder, settings.UPLOAD_DIR),
    'files',
  );
}

/** What a person counts: "4 API keys and 1 file". */
function holdings(apiKeys: number, files: number): string {
  const counted = (count: number, noun: string) => `${count} ${noun}${count === 1 ? '' : 's'}`;
  return `${counted(apiKeys, 'API key')} and ${counted(files, 'file')}`;
}

function note(context: CommandContext, text: string): void {
  context.streams.err.write(`${text}\n`);
}
