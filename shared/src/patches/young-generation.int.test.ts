import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';

const MEGABYTE = 1024 * 1024;
const PATCH = fileURLToPath(new URL('./young-generation.ts', import.meta.url));

/** What a process of its own writes: flags of V8 are for the whole process. */
function run(script: string): Record<string, number> {
  const text = `import { boundYoungGeneration, collectAfter, youngBytes } from ${JSON.stringify(PATCH)};${script}`;
  const options = ['--disable-warning=ExperimentalWarning', '--input-type=module', '--eval', text];
  return JSON.parse(execFileSync(process.execPath, options, { encoding: 'utf8' })) as Record<string, number>;
}

const SURVIVE =
  'let kept; for (let n = 0; n < 30; n++) { kept = []; for (let i = 0; i < 100_000; i++) kept.push({ i }); }';

test('the young generation grows to its bound and no further', () => {
  const { first, last } = run(`
    boundYoungGeneration(4);
    const first = youngBytes();
    ${SURVIVE}
    console.log(JSON.stringify({ first, last: youngBytes() }));`);
  expect(first).toBe(8 * MEGABYTE);
  expect(last).toBe(first);
});

test('without the bound it would grow further', () => {
  const { last } = run(`${SURVIVE} console.log(JSON.stringify({ last: youngBytes() }));`);
  expect(last).toBeGreaterThan(8 * MEGABYTE);
});

test('what was read and is used no more is let go of by what was read', () => {
  const most = run(`
    const note = collectAfter(4 * ${MEGABYTE});
    let most = 0;
    for (let piece = 0; piece < 2_000; piece++) {
      new ArrayBuffer(65_536);
      note(65_536);
      most = Math.max(most, process.memoryUsage().arrayBuffers);
      // What was let go of is freed by another thread, which takes its turn.
      if (piece % 50 === 0) await new Promise(setImmediate);
    }
    console.log(JSON.stringify({ most, shown: typeof globalThis.gc === 'function' ? 1 : 0 }));`);
  expect(most['most']).toBeLessThan(24 * MEGABYTE);
  expect(most['shown']).toBe(0);
});
