import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/** What Node says of its compile cache when `lontar --version` is run. */
async function saidOfCache(environment: Record<string, string>): Promise<string> {
  const { PATH = '', HOME = '' } = process.env;
  const env = { PATH, HOME, NODE_DEBUG_NATIVE: 'COMPILE_CACHE', ...environment };
  const { stdout, stderr } = await run(process.execPath, ['cli/bootstrap.mjs', 'lontar', '--version'], {
    cwd: ROOT,
    env,
  });
  return stdout + stderr;
}

test('what Node has compiled is kept beside the packages', async () => {
  expect(await saidOfCache({})).toContain(`resolved path ${ROOT}node_modules/.cache/lontar/compiled`);
});

test('where the operator names another folder, it is kept there', async () => {
  const said = await saidOfCache({ NODE_COMPILE_CACHE: '/nonexistent/compiled' });
  expect(said).toContain('/nonexistent/compiled');
  expect(said).not.toContain('node_modules/.cache');
});
