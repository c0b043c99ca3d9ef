import { existsSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { gatewaySettings } from '@lontar/gateway/config.ts';
import { hashApiKey } from '@lontar/shared/api-key.ts';
import { readConfig } from '@lontar/shared/config/read-config.ts';
import type { Redis } from '@lontar/shared/redis-connection.ts';
import { VERSION } from '@lontar/shared/version.ts';
import type { Command } from 'commander';
import { z } from 'zod';
import { FORMAT, FORMAT_VERSION, type Header } from '../../backup/backup-format.ts';
import { findDurableKeys } from '../../backup/durable-keys.ts';
import { DamagedBackup, verifyBackup } from '../../backup/read-backup.ts';
import { restoreBackup } from '../../backup/restore-backup.ts';
import { listContents } from '../../backup/upload-contents.ts';
import { writeBackup } from '../../backup/write-backup.ts';
import { waitForAppendOnlyFile } from '../../redis/append-only.ts';
import { readRedisVersion } from '../../redis/redis-version.ts';
import { type CommandContext, print } from '../command-context.ts';
import { CommandFailure, EXIT } from '../failure.ts';
import { explainFileError } from '../file-failure.ts';
import { findPepper } from '../locate.ts';

const { UPLOAD_STORAGE, UPLOAD_DIR } = gatewaySettings.shape;
const storageSettings = z.object({ UPLOAD_STORAGE, UPLOAD_DIR });
const PEPPER_MARK_CHARACTERS = 16;

/** `lontar backup FILE`: everything that would be missed, in one file. */
export function addBackupCommand(program: Command, context: CommandContext): void {
  program
    .command('backup')
    .description('write keys, counters, statistics, blocks and uploads into one file; the service may go on')
    .argument('<FILE>', 'the file to write')
    .option('--force', 'replace the file if it exists')
    .addHelpText(
      'after',
      '\nThe pepper is never in it: keep KEY_PEPPER (LONTAR_HOME/secrets) beside it, or no key will work.',
    )
    .action((file: string, { force = false }: { force?: boolean }) => {
      const path = resolve(file);
      requirePlace(path, force);
      return context.withRedis((redis) => backup(redis, path, context));
    });
}

/** `lontar restore FILE`. */
export function addRestoreCommand(program: Command, context: CommandContext): void {
  program
    .command('restore')
    .description('put a backup in place of what the service has; the file is checked first')
    .argument('<FILE>', 'a file that "lontar backup" wrote')
    .option('--force', 'replace the keys, counters and uploads that the service has')
    .action((file: string, { force = false }: { force?: boolean }) =>
      context.withRedis((redis) => restore(redis, resolve(file), force, context)),
    );
}

/** @throws CommandFailure where something stands that a backup must not replace */
function requirePlace(path: string, force: boolean): void {
  if (!existsSync(path)) return;
  if (!statSync(path).isFile()) {
    throw new CommandFailure(
      EXIT.failed,
      `${path} is not a file. Name one to write, such as lontar.backup in a folder.`,
    );
  }
  if (force) return;
  throw new CommandFailure(EXIT.failed, `${path} exists. Choose another name, or add --force to replace it.`);
}

async function backup(redis: Redis, path: string, context: CommandContext): Promise<void> {
  const files = uploadFiles(context);
  const missing: string[] = [];
  const header: Header = {
    format: FORMAT,
    version: FORMAT_VERSION,
    createdAt: new Date().toISOString(),
    lontar: VERSION,
    redis: await readRedisVersion(redis),
    pepperMark: pepperMark(context),
    files: files !== undefined,
  };
  const input = { header, onMissing: (id: string) => void missing.push(id) };
  const writing = writeBackup(redis, path, files === undefined ? input : { ...input, files });
  const written = await writing.catch((error: NodeJS.ErrnoException) => {
    const ofUpload = files !== undefined && error.path?.startsWith(files) ? error.path : undefined;
    throw explainFileError(error, ofUpload === undefined ? 'written' : 'read', ofUpload ?? path);
  });
  if (files === undefined) note(context, 'Contents of uploads are in the object store and not in the backup.');
  if (missing.length > 0)
    note(context, `${missing.length} uploads have no content on this disk: ${missing.join(', ')}`);
  if (header.pepperMark === null) note(context, 'KEY_PEPPER is not known here, so a restore cannot check it.');
  print(
    context,
    { file: path, ...written, missingFiles: missing },
    `${path} holds ${written.keys} keys and ${written.files} files. SHA-256 ${written.sha256}`,
  );
}

async function restore(redis: Redis, path: string, force: boolean, context: CommandContext): Promise<void> {
  const verified = await verifyBackup(path).catch((error: unknown) => {
    if (error instanceof DamagedBackup) throw new CommandFailure(EXIT.failed, error.message);
    throw explainFileError(error, 'read', path);
  });
  const folder = uploadFiles(context);
  const present = (await findDurableKeys(redis)).length;
  const contents = folder === undefined ? 0 : await countContents(folder);
  if (present + contents > 0 && !force) {
    throw new CommandFailure(
      EXIT.failed,
      `This service has ${present} keys and ${contents} contents of uploads of its own; a restore would remove them. Add --force if you want that.`,
    );
  }
  const mark = pepperMark(context);
  if (verified.header.pepperMark !== null && mark !== null && mark !== verified.header.pepperMark) {
    note(context, 'KEY_PEPPER is not the one of the backup: no restored API key will work until it is.');
  }
  await restoreBackup(redis, verified, folder).catch((error: NodeJS.ErrnoException) => {
    const consequence = 'The restore has not finished: repeat it with --force.';
    const ofUpload = folder !== undefined && error.path !== path ? folder : undefined;
    throw explainFileError(error, ofUpload === undefined ? 'read' : 'written', ofUpload ?? path, consequence);
  });
  await waitForAppendOnlyFile(redis);
  const { keys, files } = verified.end;
  const { createdAt } = verified.header;
  print(context, { file: path, createdAt, keys, files }, `Restored ${keys} keys and ${files} files of ${createdAt}.`);
}

async function countContents(folder: string): Promise<number> {
  const names = await listContents(folder).catch((error: unknown) => {
    throw explainFileError(error, 'read', folder);
  });
  return names.length;
}

/** The folder with contents of uploads, as the gateway's disk storage keeps them; `undefined` with an object store. */
function uploadFiles({ surroundings: { environment, home, root } }: CommandContext): string | undefined {
  const settings = readConfig(storageSettings, environment);
  if (settings.UPLOAD_STORAGE !== 'disk') return undefined;
  return join(
    settings.UPLOAD_DIR === undefined ? join(home.folder, 'uploads') : resolve(root, settings.UPLOAD_DIR),
    'files',
  );
}

/** Tells peppers apart without telling anything about them. */
function pepperMark({ surroundings }: CommandContext): string | null {
  const found = findPepper(surroundings);
  return found ? hashApiKey(FORMAT, found.pepper).slice(0, PEPPER_MARK_CHARACTERS) : null;
}

function note(context: CommandContext, text: string): void {
  context.streams.err.write(`${text}\n`);
}
