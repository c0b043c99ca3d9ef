import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { PackageVersion } from './integrity.ts';

const run = promisify(execFile);
const SHA512 = /^sha512-[A-Za-z0-9+/]{86}==$/;

/**
 * The checksum that the registry gives for a package, by npm's own client.
 *
 * @returns nothing where the registry does not have that version, or npm is set to work without one
 */
export async function askIntegrity({ name, version }: PackageVersion): Promise<string | undefined> {
  const args = ['view', `${name}@${version}`, 'dist.integrity', '--json', '--no-audit', '--no-fund'];
  const answer = await run('npm', args, { encoding: 'utf8' }).catch(() => undefined);
  if (answer === undefined || answer.stdout === '') return undefined;
  const integrity: unknown = JSON.parse(answer.stdout);
  return typeof integrity === 'string' && SHA512.test(integrity) ? integrity : undefined;
}
