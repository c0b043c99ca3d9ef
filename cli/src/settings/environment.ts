import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { type Environment, readConfig } from '@lontar/shared/config/read-config.ts';
import { type Home, homeAt, requireFolder } from '../home/home.ts';
import { launcherSettings } from './launcher-settings.ts';

/** The environment that the service runs with: the real one, completed from the `.env` file of the project. */
export interface Surroundings {
  /** The project's folder. */
  readonly root: string;
  readonly environment: Environment;
  /** The names that come from the `.env` file. */
  readonly fromFile: ReadonlySet<string>;
  readonly home: Home;
}

/** @throws UnusableHome where `LONTAR_HOME` is a file; the system's error when there is a `.env` file that cannot be read */
export function readSurroundings(root: string, real: Environment): Surroundings {
  const file = readEnvFile(join(root, '.env'));
  const fromFile = new Set(Object.keys(file).filter((name) => real[name] === undefined));
  const environment = { ...file, ...withoutAbsent(real) };
  const { LONTAR_HOME } = readConfig(launcherSettings, environment);
  const home = homeAt(LONTAR_HOME, root);
  requireFolder(home);
  return { root, environment, fromFile, home };
}

function readEnvFile(path: string): Environment {
  try {
    return parseEnv(readFileSync(path, 'utf8'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw error;
  }
}

function withoutAbsent(environment: Environment): Environment {
  return Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== undefined));
}
