import { execFileSync } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { ConfigError } from '../config/read-config.ts';
import type { CatalogProblem, CatalogSource } from './catalog.ts';
import { openModelsFile, readModelsFile } from './models-file.ts';
import { readModelsAside } from './read-models-aside.ts';

let folder: string;
let path: string;
const opened: CatalogSource[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lontar-models-'));
  path = join(folder, 'models.yaml');
  writeFileSync(path, fileWith('first'));
});
afterEach(async () => {
  await Promise.all(opened.splice(0).map((source) => source.stop()));
  rmSync(folder, { recursive: true });
});

function fileWith(...names: string[]): string {
  const models = ['ai-2.5-flash', 'ai-2.5-pro', ...names];
  const lines = models.map((name) => `  ${name}: { routes: [{ upstream: a, model: m }] }\n`);
  return `upstreams:\n  a: { provider: demo }\nmodels:\n${lines.join('')}`;
}

/** A file that is looked at often, and what is told of it. */
async function openFile(check?: () => readonly CatalogProblem[]) {
  const told = new EventEmitter();
  const source = await openModelsFile({
    path,
    check,
    lookEveryMs: 5,
    onBroken: (problems) => told.emit('broken', problems),
    onTaken: (catalog) => told.emit('taken', catalog),
  });
  opened.push(source);
  return { source, told };
}

describe('a changed file is taken up', () => {
  test.each<[string, () => void]>([
    ['written over', () => writeFileSync(path, fileWith('second'))],
    [
      'replaced by another, as editors do',
      () => {
        writeFileSync(join(folder, '.models.yaml.swp'), fileWith('second'));
        renameSync(join(folder, '.models.yaml.swp'), path);
      },
    ],
  ])('%s', async (_, change) => {
    const { source, told } = await openFile();
    const heard: unknown[] = [];
    source.onChange((catalog) => heard.push(catalog));
    const before = source.current;
    const taken = once(told, 'taken');
    change();
    await taken;
    expect(source.current.resolve('second')).toBe('second');
    expect(source.current.resolve('first')).toBeUndefined();
    expect(source.current.digest).not.toBe(before.digest);
    expect(heard).toEqual([source.current]);
  });

  test('as Kubernetes exchanges one: by a link to a folder that leads elsewhere then', async () => {
    for (const version of ['one', 'two']) {
      mkdirSync(join(folder, version));
      writeFileSync(join(folder, version, 'models.yaml'), fileWith(version));
    }
    symlinkSync('one', join(folder, '..data'));
    rmSync(path);
    symlinkSync(join('..data', 'models.yaml'), path);
    const { source, told } = await openFile();
    expect(source.current.resolve('one')).toBe('one');
    const taken = once(told, 'taken');
    symlinkSync('two', join(folder, '..data_tmp'));
    renameSync(join(folder, '..data_tmp'), join(folder, '..data'));
    await taken;
    expect(source.current.resolve('two')).toBe('two');
  });
});

describe('the earlier one stays in force, and what is wrong is said once, while it is', () => {
  test.each<[string, () => void, RegExp]>([
    ['broken', () => writeFileSync(path, 'upstreams: {\n'), /./],
    ['half written', () => truncateSync(path, 80), /./],
    ['empty', () => truncateSync(path, 0), /the file is empty/],
    ['gone', () => rmSync(path), /cannot be read \(ENOENT\)/],
    [
      'a folder',
      () => {
        rmSync(path);
        mkdirSync(path);
      },
      /this is no file/,
    ],
    [
      'a pipe',
      () => {
        rmSync(path);
        execFileSync('mkfifo', [path]);
      },
      /this is no file/,
    ],
    ['too large', () => writeFileSync(path, `${fileWith()}#${'x'.repeat(1_048_576)}`), /larger than 1048576 bytes/],
    ['not UTF-8', () => writeFileSync(path, Buffer.from([0x61, 0xff, 0xfe])), /not UTF-8/],
    [
      'a link to itself',
      () => {
        rmSync(path);
        symlinkSync('models.yaml', path);
      },
      /cannot be read \(ELOOP\)/,
    ],
  ])('%s', async (_, change, message) => {
    const { source, told } = await openFile();
    const before = source.current;
    const broken = once(told, 'broken');
    change();
    const [problems] = (await broken) as [readonly CatalogProblem[]];
    expect(problems.map(({ message: words }) => words).join('\n')).toMatch(message);
    expect(source.problems).toEqual(problems);
    expect(source.current).toBe(before);

    let again = 0;
    told.on('broken', () => {
      again += 1;
    });
    const taken = once(told, 'taken');
    rmSync(path, { recursive: true, force: true });
    writeFileSync(path, fileWith('mended'));
    await taken;
    expect(source.problems).toEqual([]);
    expect(source.current.resolve('mended')).toBe('mended');
    // Taking the broken one away may have been seen by itself.
    expect(again).toBeLessThan(2);
  });

  test('what the process itself finds is a problem too', async () => {
    let missing: readonly CatalogProblem[] = [];
    const { source, told } = await openFile(() => missing);
    missing = [{ line: 2, column: 3, message: 'A_KEY is not set' }];
    const broken = once(told, 'broken');
    writeFileSync(path, fileWith('second'));
    await broken;
    expect(source.problems).toBe(missing);
    expect(source.current.resolve('first')).toBe('first');
  });
});

test('a first file that is broken ends the start, with all problems as editors follow them', async () => {
  writeFileSync(path, 'upstreams: {}\nmodels: {}\n');
  const failure = await openModelsFile({ path }).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(ConfigError);
  expect((failure as ConfigError).problems).toEqual([
    `${path}:2:1: models must have ai-2.5-flash: callers of /api/ai ask for it`,
    `${path}:2:1: models must have ai-2.5-pro: callers of /api/ai ask for it`,
  ]);
});

test('a text that takes too long, or too deep, costs bounded time and is a problem', async () => {
  expect(await readModelsAside('}'.repeat(500_000), 50)).toMatchObject({
    problems: [{ message: 'the file takes too long to read' }],
  });
  writeFileSync(path, '['.repeat(100_000));
  expect(await readModelsFile({ path })).toMatchObject({ ok: false });
});
