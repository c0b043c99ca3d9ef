import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { runInProcess } from '../../testing/run-in-process.ts';
import { SETTABLE_SECRETS } from '../secrets/container-secrets.ts';
import { readOptions } from '../start/options.ts';
import { findPrintedCommands, type PrintedCommand } from './printed-commands.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

const printed = findPrintedCommands(ROOT);
const { services } = parse(read('docker-compose.yml'), { merge: true }) as {
  services: Record<string, { image: string; profiles?: string[]; volumes?: string[] }>;
};
const profiles = new Set(Object.values(services).flatMap((service) => service.profiles ?? []));
/** What the image's entry point takes. */
const programs = new Set(['gateway', 'worker', 'stats-service', 'lontar', 'secrets']);
/** Compose's own words that are used, with those of their options that take a value. */
const VERBS: Readonly<Record<string, readonly string[]>> = {
  ...{ build: [], config: [], down: [], ps: [], restart: [], stop: [] },
  ...{ exec: [], logs: ['--since', '--tail'], run: ['-v'], up: ['--scale'] },
};

/** Help of a command of `lontar`, by its words. */
const help = new Map<string, string>();

async function helpOf(words: readonly string[]): Promise<string | undefined> {
  const path = words.join(' ');
  if (!help.has(path)) {
    const { code, out } = await runInProcess(ROOT, { LONTAR_HOME: '/tmp/lontar-none' }, [...words, '--help']);
    help.set(path, code === 0 ? out : '');
  }
  return help.get(path) || undefined;
}

/** @returns what is wrong with the words behind `lontar`; `undefined` where the command takes them */
async function judgeLontar(words: readonly string[]): Promise<string | undefined> {
  const [first = ''] = words;
  if (first.startsWith('-') || first === 'start' || first === '') return undefined;
  const own = await helpOf([first]);
  if (own === undefined || !own.startsWith(`Usage: lontar ${first}`)) return `there is no command ${first}`;
  const isGroup = own.includes('\nCommands:');
  const [, second = ''] = words;
  const isNamed = isGroup && /^[a-z]/.test(second);
  const shown = isNamed ? await helpOf([first, second]) : own;
  if (isNamed && !shown?.startsWith(`Usage: lontar ${first} ${second}`)) return `${first} has no command ${second}`;
  const unknown = words.filter((word) => /^--[a-z]/.test(word)).filter((word) => !takes(shown ?? '', word));
  return unknown.length === 0 ? undefined : `${first} ${second} does not take ${unknown.join(', ')}`;
}

function takes(text: string, option: string): boolean {
  return option === '--help' || new RegExp(`(?:^|[ ,])${option}(?![\\w-])`, 'm').test(text);
}

async function judgeCompose(words: readonly string[]): Promise<string | undefined> {
  const rest = [...words];
  while (rest[0]?.startsWith('--')) {
    const [option, value = ''] = rest.splice(0, 2);
    if (option !== '--profile' || !profiles.has(value)) return `${option} ${value}`;
  }
  const verb = rest.shift() ?? '';
  const withValue = VERBS[verb];
  if (withValue === undefined) return `compose has no ${verb}`;
  const names: string[] = [];
  while (rest.length > 0) {
    const word = rest.shift() ?? '';
    if (withValue.includes(word)) {
      const [name = ''] = (rest.shift() ?? '').split('=');
      if (word === '--scale' && !(name in services)) return `no service ${name}`;
    } else if (!word.startsWith('-')) {
      names.push(word);
      if (verb === 'exec' || verb === 'run') return judgeInside(verb, word, rest);
    }
  }
  // SERVICE and CONTAINER stand for one.
  const unknown = names.filter((name) => !(name in services) && !/^[A-Z]+$/.test(name));
  return unknown.length === 0 ? undefined : `no service ${unknown.join(', ')}`;
}

/** A program in a container: a new one's entry point takes names of programs, one that runs has what its image has. */
async function judgeInside(verb: string, service: string, words: readonly string[]): Promise<string | undefined> {
  if (!(service in services)) return `no service ${service}`;
  const [program = '', ...args] = words;
  const isOurs = services[service]?.image.includes('lontar:local') ?? false;
  if (verb === 'run' && isOurs && !programs.has(program)) return `the image has no program ${program}`;
  if (program === 'secrets') {
    const [act, name = ''] = args;
    if (act === 'make' && (name === 'single' || name === 'sentinels')) return undefined;
    return act === 'set' && SETTABLE_SECRETS.includes(name) ? undefined : `secrets ${args.join(' ')}`;
  }
  if (program === 'lontar') return judgeLontar(args.filter((word) => word !== '…'));
  return undefined;
}

function judgeNpm([verb = '', ...words]: readonly string[]): string | Promise<string | undefined> | undefined {
  if (verb === 'test') return undefined;
  const script = verb === 'run' ? (words.shift() ?? '') : verb;
  const inWorkspace = words.findIndex((word) => word === '-w' || word === '--workspace');
  const workspace = inWorkspace < 0 ? undefined : words[inWorkspace + 1];
  const { scripts } = JSON.parse(read(join(workspace ?? '.', 'package.json'))) as { scripts: Record<string, string> };
  if (!(script in scripts)) return `there is no script ${script}`;
  const args = words[0] === '--' ? words.slice(1) : [];
  if (script === 'lontar') return judgeLontar(args);
  if (script !== 'start' || args.length === 0) return undefined;
  const values = args.map((word) => (word === 'N' ? '2' : word));
  try {
    readOptions(values, 'npm start --', { out: { write: () => true }, err: { write: () => true } });
    return undefined;
  } catch (error) {
    return (error as { code?: string }).code === 'commander.helpDisplayed' ? undefined : String(error);
  }
}

/** A script of the project, run by its file: not run here, for some take minutes. */
function judgeScript([file = '', ...args]: readonly string[]): string | undefined {
  if (!existsSync(join(ROOT, file))) return `there is no file ${file}`;
  const text = read(file);
  const unknown = args
    .flatMap((word) => /^--([a-z][\w-]*)/.exec(word)?.[1] ?? [])
    .filter((name) => name !== 'help' && !text.includes(name));
  return unknown.length === 0 ? undefined : `${file} does not take ${unknown.join(', ')}`;
}

function judge({ words: [first = '', ...rest] }: PrintedCommand): string | Promise<string | undefined> | undefined {
  if (first === 'docker') return judgeCompose(rest.slice(1));
  if (first === 'node') return judgeScript(rest);
  return first === 'npm' ? judgeNpm(rest) : judgeLontar(rest);
}

/** Words that begin like a command and are none. */
const PROSE = [
  // `kubectl` names the namespace and the secret, which are called lontar too.
  /^lontar (?:create|exec|patch|-f)\b/,
  // So are the project's folder in configurations, and its keys in Redis.
  /^lontar [^a-z]/,
  /^lontar (?:read it|api key)/,
  // So is the primary at the Sentinels, with a user of theirs.
  /^lontar sentinel$/,
  // Names of the image and of what it runs.
  /^lontar (?:gateway|lontar)$/,
  // In a script, with a name of its own.
  /^docker compose (?:--project-name)?$/,
];

describe('commands that are printed', () => {
  let wrong: string[];

  beforeAll(async () => {
    const commands = printed.filter(({ words }) => !PROSE.some((pattern) => pattern.test(words.join(' '))));
    const judged = [];
    for (const command of commands) judged.push({ command, problem: await judge(command) });
    wrong = judged
      .filter(({ problem }) => problem !== undefined)
      .map(({ command, problem }) => `${command.place}: ${command.words.join(' ')}: ${problem}`);
  });

  test('are found in every kind of place', () => {
    const places = printed.map(({ place }) => place);
    for (const folder of [
      'README.md',
      'docs/operating.md',
      'docs/runbooks/',
      'docker-compose.yml',
      'dashboard/web/',
      'cli/src/',
    ]) {
      expect(places.filter((place) => place.startsWith(folder)).length).toBeGreaterThan(0);
    }
    expect(printed.length).toBeGreaterThan(100);
  });

  test('are taken by the program that they name, with their options', () => {
    expect(wrong).toEqual([]);
  });

  test('name secrets that the container has', () => {
    const reads = /docker compose exec (?:-T )?([\w-]+) .*?\/run\/secrets\/(\w+)/g;
    const files = ['docs/operating.md', ...new Set(printed.map(({ place }) => place.split(':')[0] ?? ''))];
    const missing = [...new Set(files)].flatMap((file) =>
      [...read(file).matchAll(reads)]
        .filter(([, service = '', name = '']) => !hasSecret(service, name))
        .map(([text]) => `${file}: ${text}`),
    );
    expect(missing).toEqual([]);
  });
});

const SECRETS_OF: Readonly<Record<string, readonly string[]>> = {
  redis: ['redis_probe_password', 'auth.conf'],
  // Its script, `redis-sentinel.sh`.
  'sentinel-1': ['redis'],
  gateway: ['key_pepper', 'inner_secret', 'redis_url', 'operator_redis_url'],
  worker: ['redis_url', 'gemini_api_key', 'openai_api_key'],
  'stats-service': ['dashboard_token', 'inner_secret', 'redis_url'],
  prometheus: ['inner_secret'],
  alertmanager: ['alert_webhook_url'],
  grafana: ['grafana_password'],
};

function hasSecret(service: string, name: string): boolean {
  return SECRETS_OF[service]?.includes(name) ?? false;
}
