import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { findProgram } from '../cli/src/system/programs.ts';
import { ROOT } from './harness/launch.ts';
import { type Stack, startStack } from './harness/stack.ts';

const run = promisify(execFile);
const PAGES = ['README.md', 'docs/clients.md', 'docs/openai.md'];
const ANSWER = 'Leaves that keep the words';
/** What runs a sample, and the file that it is. */
const RUNNERS = {
  js: [process.execPath, 'sample.mjs'],
  bash: ['bash', 'sample.sh'],
  python: ['python3', 'sample.py'],
} as const;

/** The samples of the pages that this machine can run, as they are written. */
const samples = PAGES.flatMap((page) => {
  const text = readFileSync(join(ROOT, page), 'utf8');
  return [...text.matchAll(/^```(js|bash|python)\n(.*?)^```$/gms)]
    .map(([, language = '', code = ''], index) => ({
      name: `${page}, sample ${index + 1}`,
      language: language as keyof typeof RUNNERS,
      code,
    }))
    .filter(isRun);
});

/** Not the commands of the README that install and start, nor what needs a client that this machine has not. */
function isRun({ language, code }: { language: string; code: string }): boolean {
  if (language === 'python')
    return !/^from openai/m.test(code) && findProgram(['python3'], process.env['PATH']) !== undefined;
  return language === 'js' || /^curl /m.test(code);
}

let stack: Stack;
let key: string;
let folder: string;

beforeAll(async () => {
  stack = await startStack();
  stack.upstream.behave({ kind: 'answer', text: ANSWER });
  ({ key } = await stack.createKey());
  // Beside the clients that are installed for these tests.
  folder = await mkdtemp(join(ROOT, 'e2e', 'samples-'));
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
  await stack.stop();
});

test('there are samples', () => {
  expect(samples.map(({ language }) => language)).toEqual(expect.arrayContaining(['js', 'bash']));
});

test.each(samples)('$name gives the answer when its address and key are filled in', async ({ language, code }) => {
  const filled = code.replaceAll('http://127.0.0.1:8080', stack.url).replaceAll('YOUR_KEY', key);
  const [program, name] = RUNNERS[language];
  const file = join(folder, name);
  await writeFile(file, filled);
  const { stdout } = await run(program, [file], { timeout: 150_000 });
  const words = stdout.replaceAll(/"content":"([^"]*)"/g, '$1');
  expect(words.includes(ANSWER) || joined(stdout).includes(ANSWER)).toBe(true);
});

const inPython = samples.filter(({ language }) => language === 'python');

(inPython.length > 0 ? test.each(inPython) : test.skip.each([{ name: 'a sample in Python', code: '' }]))(
  '$name shows what the service says where it refuses, and no traceback',
  async ({ code }) => {
    const file = join(folder, 'refused.py');
    await writeFile(
      file,
      code.replaceAll('http://127.0.0.1:8080', stack.url).replaceAll('YOUR_KEY', 'lt_live_unknown'),
    );
    const { stdout, stderr } = await run('python3', [file], { timeout: 150_000 });
    expect(stdout).toMatch(/key/i);
    expect(stderr).toBe('');
  },
);

/** The text of a stream that a sample shows as it comes. */
function joined(stream: string): string {
  return [...stream.matchAll(/"content":"([^"]*)"/g)].map(([, text]) => text).join('');
}
