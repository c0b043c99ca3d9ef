import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { systemEnvironment } from '../settings/services.ts';
import { supervise } from './supervise.ts';

const HANGS = fileURLToPath(new URL('../../../shared/testing/watched-process.ts', import.meta.url));

test('a process that hangs is started again, and the operator reads why', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'lontar-supervise-'));
  const log = join(folder, 'worker-1.log');
  const said: string[] = [];
  const again = Promise.withResolvers<void>();
  let started = 0;
  const worker = supervise(
    {
      name: 'worker-1',
      command: process.execPath,
      args: [HANGS, '1000', 'code'],
      environment: systemEnvironment({ PATH: process.env['PATH'] ?? '' }),
      workingFolder: folder,
      log,
      pidFile: join(folder, 'worker-1.pid'),
    },
    {
      untilReady: () => Promise.resolve(),
      readyTimeoutMs: 10_000,
      say: (text) => said.push(text),
      onStarted: () => {
        started++;
        if (started === 3) again.resolve();
      },
    },
  );
  await worker.ready;
  await again.promise;
  expect(said[0]).toBe(
    'worker-1 ended (SIGKILL: the event loop is silent; the process ends itself to be started again). ' +
      `It is started again in 250 ms; its log: ${log}`,
  );
  // A hanging process heeds no SIGTERM: stopping kills it, or it has killed itself.
  await worker.stop(2_000);
  expect(readFileSync(log, 'utf8')).toContain('"level":"fatal"');
  rmSync(folder, { recursive: true });
});
