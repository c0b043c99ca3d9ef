import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { isHurriedAfter } from './young-generation.ts';

const MEGABYTE = 1024 * 1024;
const PATCH = fileURLToPath(new URL('./young-generation.ts', import.meta.url));

/** What a process of its own writes: flags of V8 are for the whole process. */
function run(script: string): Record<string, number> {
  const text = `import { boundYoungGeneration, collectAfter, collectEverything, holdYoungGeneration, youngBytes } from ${JSON.stringify(PATCH)};${script}`;
  const options = ['--disable-warning=ExperimentalWarning', '--input-type=module', '--eval', text];
  return JSON.parse(execFileSync(process.execPath, options, { encoding: 'utf8' })) as Record<string, number>;
}

/** Objects that survive, which makes the young generation grow as far as it may, or until it has so many bytes. */
const SURVIVE = `function survive(bytes = Infinity) {
  let kept;
  for (let n = 0; n < 30 && youngBytes() < bytes; n++) { kept = []; for (let i = 0; i < 100_000; i++) kept.push({ i }); }
  return youngBytes();
}`;
const BOUND = 16 * MEGABYTE;

test('the young generation does not grow while it is held, and does again later', () => {
  const { held, still, later } = run(`
    import { mock } from 'node:test';
    mock.timers.enable({ apis: ['setTimeout'] });
    ${SURVIVE}
    const held = survive(${BOUND});
    holdYoungGeneration();
    const still = survive();
    mock.timers.tick(10_000);
    console.log(JSON.stringify({ held, still, later: survive() }));`);
  expect(held).toBeGreaterThanOrEqual(BOUND);
  expect(still).toBe(held);
  expect(later).toBeGreaterThan(held ?? 0);
});

test('the young generation of a service has a bound, and has it still when what was held may grow again', () => {
  const { bounded, later } = run(`
    import { mock } from 'node:test';
    mock.timers.enable({ apis: ['setTimeout'] });
    const survive = async () => {
      let kept = [];
      for (let n = 0; n < 120; n++) {
        kept = n % 8 === 0 ? [] : kept;
        for (let i = 0; i < 20_000; i++) kept.push({ i });
        await new Promise(setImmediate);
      }
      return youngBytes();
    };
    boundYoungGeneration();
    const bounded = await survive();
    holdYoungGeneration();
    mock.timers.tick(10_000);
    console.log(JSON.stringify({ bounded, later: await survive() }));`);
  expect(bounded).toBeGreaterThanOrEqual(BOUND);
  expect(bounded).toBeLessThanOrEqual(4 * BOUND);
  // Full collections follow each other closely here.
  expect(later).toBeLessThanOrEqual(4 * BOUND);
});

test('a small one grows whatever was refused', () => {
  const { grown } = run(`${SURVIVE} holdYoungGeneration(); console.log(JSON.stringify({ grown: survive(${BOUND}) }));`);
  expect(grown).toBeGreaterThanOrEqual(BOUND);
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

test('what a start leaves behind is given back to the system', () => {
  const {
    grown = 0,
    young = 0,
    left = 0,
    shown,
  } = run(`${SURVIVE}
    const before = process.memoryUsage().heapUsed;
    const grown = survive(${BOUND});
    collectEverything();
    const left = process.memoryUsage().heapUsed - before;
    console.log(JSON.stringify({ grown, young: youngBytes(), left, shown: typeof globalThis.gc === 'function' ? 1 : 0 }));`);
  expect(young).toBeLessThan(grown / 4);
  expect(left).toBeLessThan(MEGABYTE);
  expect(shown).toBe(0);
});

test('the old generation is collected when it is one and a half times what is in use, and no other thread collects the young one', () => {
  const script = `import { boundYoungGeneration, collectEverything, collectFrugally } from ${JSON.stringify(PATCH)};
    boundYoungGeneration();
    collectFrugally();
    const inUse = Array.from({ length: 200_000 }, (_, i) => ({ i }));
    collectEverything();
    // It hears of the collections that were asked for, which follow each other closely, and are no reason for more room.
    for (let turn = 0; turn < 10; turn++) await new Promise(setImmediate);
    let recent = [];
    for (let n = 0; n < 900; n++) {
      if (n % 50 === 0) recent = [];
      recent.push(Array.from({ length: 5_000 }, (_, i) => ({ i })));
    }
    console.log(inUse.length);`;
  const options = ['--disable-warning=ExperimentalWarning', '--trace-gc-nvp', '--input-type=module', '--eval', script];
  const lines = execFileSync(process.execPath, options, { encoding: 'utf8' }).split('\n');
  const field = (line: string, name: string) => Number(new RegExp(` ${name}=([\\d.]+)`).exec(line)?.[1]);
  const since = lines.slice(lines.findIndex((line) => line.includes(' reduce_memory=1 ')));
  const whole = since.filter((line) => line.includes(' gc=mc '));
  const small = since.filter((line) => line.includes(' gc=s '));
  expect(small.length).toBeGreaterThan(5);
  expect(whole.length).toBeGreaterThan(1);
  expect(small.map((line) => field(line, 'background.scavenge.parallel'))).toEqual(small.map(() => 0));
  // Each line has the limit that the collection before it has set.
  for (const [index, line] of whole.entries()) {
    const before = whole[index - 1];
    if (before === undefined) continue;
    const inUse = field(before, 'end_object_size');
    const young = Math.max(field(before, 'new_space_capacity'), field(line, 'new_space_capacity'));
    // V8 grows a small heap by some megabytes at least.
    expect(field(line, 'old_gen_allocation_limit')).toBeLessThanOrEqual(1.5 * inUse + young + 4 * MEGABYTE);
  }
});

test('the old generation may become two and a half times what is in use where it is collected all the time', () => {
  const script = `import { boundYoungGeneration, collectFrugally } from ${JSON.stringify(PATCH)};
    boundYoungGeneration();
    collectFrugally();
    const inUse = Array.from({ length: 200_000 }, (_, i) => ({ i }));
    let recent = [];
    for (let n = 0; n < 3_000; n++) {
      // More than the young generation can hold.
      if (n % 300 === 0) recent = [];
      recent.push(Array.from({ length: 5_000 }, (_, i) => ({ i })));
      await new Promise(setImmediate);
    }
    console.log(inUse.length);`;
  const options = ['--disable-warning=ExperimentalWarning', '--trace-gc-nvp', '--input-type=module', '--eval', script];
  const lines = execFileSync(process.execPath, options, { encoding: 'utf8' }).split('\n');
  const field = (line: string, name: string) => Number(new RegExp(` ${name}=([\\d.]+)`).exec(line)?.[1]);
  const whole = lines.filter((line) => line.includes(' gc=mc '));
  // Each line has the limit that the collection before it has set. How close they come depends on the machine.
  const limits = whole.slice(1).map((line, index) => {
    const before = whole[index] ?? '';
    const young = Math.max(field(before, 'new_space_capacity'), field(line, 'new_space_capacity'));
    return { limit: field(line, 'old_gen_allocation_limit'), inUse: field(before, 'end_object_size'), young };
  });
  expect(limits.filter(({ limit, inUse }) => limit > 2 * inUse)).not.toEqual([]);
  for (const { limit, inUse, young } of limits) expect(limit).toBeLessThanOrEqual(2.5 * inUse + young + 4 * MEGABYTE);
});

test.each([
  [false, 390, 1, true],
  [false, 410, 1, false],
  [true, 1_190, 1, true],
  [true, 1_210, 1, false],
  [false, 100, 1.1, true],
  [false, 100, 1.3, false],
  [true, 100, 1.3, false],
])(
  'where it was hurried: %s, a full collection %i ms after the one before, with %d times in use, is hurried: %s',
  (was, afterMs, growth, is) => {
    expect(isHurriedAfter(afterMs, growth, was)).toBe(is);
  },
);
