import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { afterEach, expect, test } from '@jest/globals';

const MODULE = new URL('./logger.ts', import.meta.url).href;
let child: ChildProcess | undefined;

afterEach(() => {
  child?.kill('SIGKILL');
});

/** Numbers of the lines that a program writes; it goes on living when it has written them all. */
async function* numbersOf(program: string): AsyncGenerator<number> {
  const source = `import { openLogOutput } from '${MODULE}'; const output = openLogOutput(); setInterval(() => 0, 10_000); ${program}`;
  const running = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', source],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  child = running;
  for await (const line of createInterface({ input: running.stdout })) yield JSON.parse(line).number as number;
}

test('every line arrives, in order and whole, while its writer goes on: floods, one line after a pause, and another flood', async () => {
  const flood = 20_000;
  const write =
    'let number = 0; const say = (count) => { for (let i = 0; i < count; i++) output.write(`${JSON.stringify({ number: number++, padding: "ä".repeat(number % 97) })}\\n`); };';
  const program = `${write} say(${flood}); setTimeout(() => say(1), 400); setTimeout(() => say(${flood}), 800);`;
  let expected = 0;
  for await (const number of numbersOf(program)) {
    if (number !== expected) expect(number).toBe(expected);
    expected++;
    if (expected === 2 * flood + 1) break;
  }
  expect(expected).toBe(2 * flood + 1);
});
