import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { writeEndpoint } from '../home/endpoint.ts';
import { createHome, homeAt } from '../home/home.ts';
import { writePid } from '../home/pid-file.ts';
import { readOrMakeSecret } from '../home/secrets.ts';
import { openLog } from '../processes/log-file.ts';
import { createFile, replaceFile, writeNewFile } from './new-file.ts';

let folder: string;
let victim: string;
let place: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lontar-files-'));
  victim = join(folder, 'victim');
  place = join(folder, 'place');
  writeFileSync(victim, 'of another program');
});
afterEach(() => rmSync(folder, { recursive: true }));

const modeOf = (path: string) => lstatSync(path).mode & 0o777;

describe('a new file', () => {
  test.each([
    ['a file', () => writeFileSync(place, '')],
    ['a link to a file', () => symlinkSync(victim, place)],
    ['a link that leads nowhere', () => symlinkSync(join(folder, 'nowhere'), place)],
  ])('is not written into %s', async (_what, plant) => {
    plant();
    expect(() => writeNewFile(place, 'secret')).toThrow('EEXIST');
    await expect(createFile(place)).rejects.toThrow('EEXIST');
    expect(readFileSync(victim, 'utf8')).toBe('of another program');
    expect(readdirSync(folder)).not.toContain('nowhere');
  });
});

describe('a file that takes the place of another', () => {
  test.each([
    ['what others may write', () => (writeFileSync(place, 'x'), chmodSync(place, 0o666))],
    ['a link', () => symlinkSync(victim, place)],
  ])('keeps nothing of %s', (_what, plant) => {
    plant();
    replaceFile(place, 'new');
    expect(lstatSync(place).isFile()).toBe(true);
    expect(modeOf(place)).toBe(0o600);
    expect(readFileSync(place, 'utf8')).toBe('new');
    expect(readFileSync(victim, 'utf8')).toBe('of another program');
  });

  test('leaves nothing where it cannot', () => {
    mkdirSync(place);
    expect(() => replaceFile(place, 'new')).toThrow();
    expect(readdirSync(folder).sort()).toEqual(['place', 'victim']);
  });
});

describe('what npm start writes', () => {
  test('goes through no link that was put in its way', () => {
    const home = homeAt('home', folder);
    createHome(home);
    const paths = [home.endpoint, join(home.run, 'worker-1.pid'), `${home.secret('KEY_PEPPER')}.${process.pid}`];
    for (const path of paths) symlinkSync(victim, path);
    writeEndpoint(home, { pid: 1, redisUrl: 'unix:///x', baseUrls: ['http://x'], startedAt: '' });
    writePid(join(home.run, 'worker-1.pid'), 42);
    expect(readOrMakeSecret(home, 'KEY_PEPPER')).toHaveLength(43);
    for (const path of [home.endpoint, join(home.run, 'worker-1.pid'), home.secret('KEY_PEPPER')]) {
      expect({ path, mode: modeOf(path), isFile: lstatSync(path).isFile() }).toEqual({
        path,
        mode: 0o600,
        isFile: true,
      });
    }
    expect(readFileSync(victim, 'utf8')).toBe('of another program');
  });

  test('logs are no link and for the owner alone', () => {
    symlinkSync(victim, place);
    expect(() => openLog(place)).toThrow('ELOOP');
    const open = join(folder, 'open.log');
    writeFileSync(open, '');
    chmodSync(open, 0o666);
    openLog(open).close();
    expect(modeOf(open)).toBe(0o600);
  });

  test('stays in the home: a part of it that leads elsewhere is refused', () => {
    const home = homeAt('home', folder);
    mkdirSync(home.folder);
    mkdirSync(join(folder, 'elsewhere'));
    symlinkSync(join(folder, 'elsewhere'), join(home.folder, 'secrets'));
    expect(() => createHome(home)).toThrow(/secrets is a symbolic link/);
  });
});
