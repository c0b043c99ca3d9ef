import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { runInProcess } from '../../testing/run-in-process.ts';
import { findProgram } from '../system/programs.ts';
import { systemdNotes } from './notify.ts';
import { serviceManager } from './systemd.ts';
import { unitText } from './unit.ts';

const canVerify = findProgram(['systemd-analyze'], process.env['PATH']) !== undefined;
const canNotify = findProgram(['systemd-notify'], process.env['PATH']) !== undefined;

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lontar-systemd-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const input = (scope: 'system' | 'user') => ({
  ...{ scope, folder, home: folder, memoryMax: '2G', stopSeconds: 60, searchPath: '/usr/bin' },
  command: [process.execPath, join(folder, 'it is 100% $HOME'), 'start'],
});

describe('the unit', () => {
  (canVerify ? test : test.skip).each(['system', 'user'] as const)(
    'of the %s passes systemd-analyze',
    async (scope) => {
      const manager = serviceManager('lontar-test', scope, process.env, folder);
      manager.write(unitText(input(scope)));
      expect(await manager.findFaults()).toBeUndefined();
      manager.write(unitText(input(scope)).replace('ExecStart=', 'ExecStart=/no/such/program '));
      expect(await manager.findFaults()).toContain('/no/such/program');
    },
  );
});

describe('lontar service', () => {
  const lontar = (...args: string[]) => {
    const { PATH } = process.env;
    return runInProcess(folder, { PATH: PATH ?? '', HOME: folder, LONTAR_HOME: join(folder, 'home') }, args);
  };

  (process.getuid?.() === 0 ? test : test.skip)(
    'that root installs is for the owner of the folder, and so is all that root makes there',
    async () => {
      chownSync(folder, 1, 1);
      const made = await lontar('service', 'install', '--user', '--no-start');
      expect(made).toMatchObject({ code: 0 });
      for (const part of ['', 'run', 'logs', 'redis', 'secrets']) {
        expect(statSync(join(folder, 'home', part))).toMatchObject({ uid: 1, gid: 1 });
      }
      const unit = await lontar('service', 'install', '--system', '--print');
      expect(unit.out).toMatch(/^User=(?!root).+$/m);
    },
  );

  test('--print writes nothing, and a user who is not there is refused', async () => {
    expect((await lontar('service', 'install', '--user', '--print')).code).toBe(0);
    const refused = await lontar('service', 'install', '--system', '--no-start', '--run-as', 'no-such-user');
    expect(refused).toMatchObject({ code: 2, err: expect.stringContaining('There is no user no-such-user') });
    expect(existsSync(join(folder, 'home'))).toBe(false);
  });

  test('installs for a user, says what it did, and removes it again, with data left', async () => {
    const unitFile = join(folder, '.config', 'systemd', 'user', 'lontar.service');
    expect(await lontar('service', 'status', '--user')).toMatchObject({ code: 3 });
    const made = await lontar('service', 'install', '--user', '--no-start', '--memory-max', '900M', '--json');
    expect(made).toMatchObject({ code: 0, err: '' });
    expect(JSON.parse(made.out)).toEqual({ unit: unitFile, started: false });
    const unit = readFileSync(unitFile, 'utf8');
    expect(unit).toContain('MemoryMax=900M\n');
    expect(unit).toContain(`ReadWritePaths="${join(folder, 'home')}"\n`);
    expect((await lontar('service', 'install', '--user', '--print', '--memory-max', '900M')).out).toBe(unit);
    expect(await lontar('service', 'uninstall', '--user')).toMatchObject({ code: 0 });
    expect(existsSync(unitFile)).toBe(false);
    expect(existsSync(join(folder, 'home'))).toBe(true);
  });

  test.each([[['--memory-max', 'much']], [['--name', '../x']], [['--user', '--system']]])(
    'refuses %j',
    async (args) => {
      expect(await lontar('service', 'install', '--print', ...args)).toMatchObject({ code: 2, out: '' });
    },
  );
});

/** Opens systemd's end of the socket, which Node cannot. */
const python = findProgram(['python3'], process.env['PATH']);

(python !== undefined && canNotify ? test : test.skip)(
  'systemd is told that all runs, again and again, and of the stop',
  async () => {
    const socket = join(folder, 'notify.sock');
    const script = join(folder, 'listen.py');
    writeFileSync(
      script,
      `import socket, sys\ns = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)\ns.bind(sys.argv[1])\nprint("open", flush=True)\nwhile True: print(s.recv(4096).decode().strip(), flush=True)\n`,
    );
    const listener = spawn(python ?? '', [script, socket], { stdio: ['ignore', 'pipe', 'inherit'] });
    try {
      let said = '';
      listener.stdout.setEncoding('utf8').on('data', (text: string) => (said += text));
      const hears = async (pattern: RegExp) => {
        while (!pattern.test(said)) await once(listener.stdout, 'data');
      };
      await hears(/open/);
      const notes = systemdNotes({ PATH: process.env['PATH'], NOTIFY_SOCKET: socket, WATCHDOG_USEC: '300000' });
      notes.ready();
      await hears(/READY=1/);
      await hears(/WATCHDOG=1[^]*WATCHDOG=1/);
      notes.stopping();
      await hears(/STOPPING=1/);
    } finally {
      listener.kill();
    }
  },
);
