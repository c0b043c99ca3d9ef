import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';

const ENTRY_POINT = new URL('../../../deploy/image/lontar-run', import.meta.url);
/** Makes what follows process 1 of a namespace of its own, as a container does. */
const AS_PROCESS_1 = ['unshare', '--pid', '--fork', '--mount-proc', '--kill-child'];

let folder: string;
let entryPoint: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'lontar-image-'));
  entryPoint = join(folder, 'lontar-run');
  writeFileSync(entryPoint, readFileSync(ENTRY_POINT, 'utf8').replaceAll('/app/', `${folder}/`));
  chmodSync(entryPoint, 0o755);
  mkdirSync(join(folder, 'worker', 'src'), { recursive: true });
  writeFileSync(
    join(folder, 'worker', 'src', 'main.ts'),
    `const [way] = process.argv.slice(2);
    if (way === 'kill') process.kill(process.pid, 'SIGKILL');
    if (way === 'serve') {
      for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => setTimeout(() => process.exit(7), 200));
      setInterval(() => undefined, 1_000);
      console.log('serves');
    } else process.exitCode = Number(way);`,
  );
});
afterAll(() => rmSync(folder, { recursive: true }));

function run(prefix: readonly string[], way: string) {
  const [command, ...args] = [...prefix, entryPoint, 'worker', way];
  const environment = { PATH: `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}` };
  return spawn(command, args, { env: environment, stdio: ['ignore', 'pipe', 'inherit'] });
}

const canBeProcess1 = spawnSync(AS_PROCESS_1[0] ?? '', [...AS_PROCESS_1.slice(1), 'true']).status === 0;

describe.each([
  ['as any process', [], test],
  ['as process 1', AS_PROCESS_1, canBeProcess1 ? test : test.skip],
] as const)("the image's entry point %s", (_how, prefix, one) => {
  one.each([
    ['0', 0],
    ['2', 2],
  ])('ends with the exit code of the service, %s', async (way, code) => {
    expect(await once(run(prefix, way), 'exit')).toEqual([code, null]);
  });

  one('ends when the service kills itself', async () => {
    expect(await once(run(prefix, 'kill'), 'exit')).toEqual([137, null]);
  });
});

test.each(['SIGTERM', 'SIGINT'] as const)('the entry point hands %s on and waits for the service', async (signal) => {
  const child = run([], 'serve');
  await once(createInterface({ input: child.stdout }), 'line');
  child.kill(signal);
  expect(await once(child, 'exit')).toEqual([7, null]);
});
