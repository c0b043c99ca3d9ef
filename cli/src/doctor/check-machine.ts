import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError } from '@lontar/shared/config/read-config.ts';
import type { Home } from '../home/home.ts';
import { findPepper } from '../locate/locate.ts';
import { checkSettings } from '../settings/check-settings.ts';
import type { Surroundings } from '../settings/environment.ts';
import { type Finding, failed, ok, warning } from './finding.ts';

const NEEDED_NODE_MAJOR = 24;
const OTHERS_MODE_BITS = 0o077;

/** What can be checked without Redis: Node, settings, secrets, who may read the home. */
export function checkMachine(surroundings: Surroundings, nodeVersion: string): Finding[] {
  return [
    checkNode(nodeVersion),
    ...checkConfiguration(surroundings),
    checkPepper(surroundings),
    ...checkModes(surroundings.home),
  ];
}

function checkNode(version: string): Finding {
  if (Number(version.split('.')[0]) >= NEEDED_NODE_MAJOR) return ok('node', `Node ${version}`);
  return failed(
    'node',
    `This is Node ${version}; Lontar needs ${NEEDED_NODE_MAJOR}. Run it through npm, which brings its own.`,
  );
}

function checkConfiguration({ environment, doubts = [] }: Surroundings): Finding[] {
  try {
    checkSettings(environment);
    if (doubts.length > 0) return doubts.map((doubt) => warning('settings', doubt));
    return [ok('settings', 'All settings of this shell are valid.')];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.problems.map((problem) => failed('settings', problem));
  }
}

function checkPepper(surroundings: Surroundings): Finding {
  try {
    const found = findPepper(surroundings);
    if (found)
      return ok(
        'pepper',
        `KEY_PEPPER comes from ${found.from === 'home' ? surroundings.home.folder : 'the environment'}.`,
      );
    return failed('pepper', 'KEY_PEPPER is not known: set it to what the gateway has, or run npm start once.');
  } catch (error) {
    return failed('pepper', error instanceof Error ? error.message : String(error));
  }
}

function checkModes(home: Home): Finding[] {
  const secrets = join(home.folder, 'secrets');
  const open = [home.folder, secrets, ...filesIn(secrets)].filter((path) => isOpenToOthers(path));
  if (open.length === 0) return [ok('file modes', 'Only the owner can read the secrets.')];
  return [failed('file modes', `Other users can read ${open.join(', ')}. Run: chmod -R go= ${home.folder}`)];
}

function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder).map((name) => join(folder, name));
  } catch {
    return [];
  }
}

function isOpenToOthers(path: string): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  return found !== undefined && (found.mode & OTHERS_MODE_BITS) !== 0;
}
