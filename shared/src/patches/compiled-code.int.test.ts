import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';

const PATCH = fileURLToPath(new URL('./compiled-code.ts', import.meta.url));

/** The flags that a process of its own has set, in their order; V8 says so itself where it does not know one. */
function flagsOf(script: string): string {
  const text = `
    import { createRequire, syncBuiltinESMExports } from 'node:module';
    import { mock } from 'node:test';
    mock.timers.enable({ apis: ['setInterval'] });
    const v8 = createRequire(import.meta.url)('node:v8');
    const { setFlagsFromString } = v8;
    v8.setFlagsFromString = (flag) => { setFlagsFromString(flag); console.log(flag); };
    syncBuiltinESMExports();
    const { keepCompiledCode } = await import(${JSON.stringify(PATCH)});
    ${script}`;
  const options = ['--disable-warning=ExperimentalWarning', '--input-type=module', '--eval', text];
  const { stdout, stderr } = spawnSync(process.execPath, options, { encoding: 'utf8' });
  return stdout + stderr;
}

test('code is kept while there is work, and no longer than a minute or two after it', () => {
  const said = flagsOf(`
    keepCompiledCode();
    mock.timers.tick(50_000);
    keepCompiledCode();
    mock.timers.tick(60_000);
    console.log('still kept');
    mock.timers.tick(60_000);
    keepCompiledCode();`);
  expect(said.split('\n')).toEqual([
    '--no-memory-reducer-favors-memory',
    'still kept',
    '--memory-reducer-favors-memory',
    '--no-memory-reducer-favors-memory',
    '',
  ]);
});
