import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { type Environment, readConfig } from '@lontar/shared/config/read-config.ts';
import { type Home, homeAt, requireFolder } from '../home/home.ts';
import { type EnvFile, readEnvText } from './env-file.ts';
import { launcherSettings } from './launcher-settings.ts';
import { findModelsFile } from './models-file.ts';

/**
 * The environment that the service runs with: the real one, completed from the `.env` file of the project, and with
 * `MODELS_FILE` where a file of models lies beside that.
 */
export interface Surroundings {
  /** Where the sources are. */
  readonly root: string;
  /** Where `.env` is, and what relative paths are taken from: the sources' folder, or that of an installed package. */
  readonly folder: string;
  readonly environment: Environment;
  /** The names that come from the `.env` file. */
  readonly fromFile: ReadonlySet<string>;
  /** What of the `.env` file was probably meant otherwise, in sentences. */
  readonly doubts?: readonly string[];
  /** The names that are set by no operator: what they name was found. */
  readonly found?: ReadonlySet<string>;
  readonly home: Home;
}

/** @throws UnusableHome where `LONTAR_HOME` is a file; the system's error when there is a `.env` file that cannot be read */
export function readSurroundings(root: string, real: Environment): Surroundings {
  const folder = real['LONTAR_FOLDER'] || root;
  const { values: file, doubts } = readEnvFile(join(folder, '.env'));
  const fromFile = new Set(Object.keys(file).filter((name) => real[name] === undefined));
  const given = { ...file, ...withoutAbsent(real) };
  const modelsFile = findModelsFile(given, folder);
  const environment = { ...given, ...(modelsFile !== undefined && { MODELS_FILE: modelsFile }) };
  const { LONTAR_HOME } = readConfig(launcherSettings, environment);
  // A shell replaces it, but not in quotes, and not in a file.
  const home = homeAt(LONTAR_HOME.replace(/^~(?=\/|$)/, homedir), folder);
  requireFolder(home);
  const found = new Set(environment['MODELS_FILE'] && !given['MODELS_FILE'] ? ['MODELS_FILE'] : []);
  return { root, folder, environment, fromFile, doubts, found, home };
}

function readEnvFile(path: string): EnvFile {
  try {
    return readEnvText(readFileSync(path, 'utf8'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { values: {}, doubts: [] };
    throw error;
  }
}

function withoutAbsent(environment: Environment): Environment {
  return Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== undefined));
}
