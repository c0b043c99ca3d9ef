import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from '@jest/globals';
import { childrenCpuMs, cpuMs } from './usage.ts';

const BUSY = `const { user } = process.cpuUsage(); while (process.cpuUsage().user - user < 200_000); console.log('done')`;

test('what children use is told apart from their parent, while they run and when they have ended', async () => {
  const run = `"$0" -e "$1; setInterval(() => {}, 1000)" & child=$!; read -r line; kill $child; wait $child; echo ended; read -r line`;
  const shell = spawn('sh', ['-c', run, process.execPath, BUSY], { stdio: ['pipe', 'pipe', 'inherit'] });
  const pid = shell.pid ?? 0;
  await once(shell.stdout, 'data');
  expect(childrenCpuMs(pid)).toBeGreaterThanOrEqual(190);
  shell.stdin.write('\n');
  await once(shell.stdout, 'data');
  expect(childrenCpuMs(pid)).toBeGreaterThanOrEqual(190);
  expect(cpuMs(pid)).toBeLessThan(100);
  shell.stdin.end('\n');
  await once(shell, 'exit');
});
