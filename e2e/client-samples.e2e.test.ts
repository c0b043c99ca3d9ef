import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ROOT } from './harness/launch.ts';
import { type Stack, startStack } from './harness/stack.ts';

const run = promisify(execFile);
const PAGES = ['docs/clients.md', 'docs/openai.md'];
const ANSWER = 'Leaves that keep the words';

/** The samples of the pages that this machine can run, as they are written. */
const samples = PAGES.flatMap((page) => {
  const text = readFileSync(join(ROOT, page), 'utf8');
  return [...text.matchAll(/^```(js|bash)\n(.*?)^```$/gms)].map(([, language = '', code = ''], index) => ({
    name: `${page}, sample ${index + 1}`,
    language: language as 'js' | 'bash',
    code,
  }));
});

let stack: Stack;
let key: string;
let folder: string;

beforeAll(async () => {
  stack = await startStack();
  stack.upstream.behave({ kind: 'answer', text: ANSWER });
  ({ key } = await stack.createKey());
  // Beside the clients that are installed for these tests.
  folder = await mkdtemp(join(ROOT, 'e2e', 'samples-'));
}, 60_000);
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
  await stack.stop();
});

test('there are samples', () => {
  expect(samples.map(({ language }) => language)).toEqual(expect.arrayContaining(['js', 'bash']));
});

test.each(samples)(
  '$name gives the answer when its address and key are filled in',
  async ({ language, code }) => {
    const filled = code.replaceAll('http://127.0.0.1:8080', stack.url).replaceAll('YOUR_KEY', key);
    const file = join(folder, language === 'js' ? 'sample.mjs' : 'sample.sh');
    await writeFile(file, filled);
    const { stdout } = await run(language === 'js' ? process.execPath : 'bash', [file], { timeout: 60_000 });
    const words = stdout.replaceAll(/"content":"([^"]*)"/g, '$1');
    expect(words.includes(ANSWER) || joined(stdout).includes(ANSWER)).toBe(true);
  },
  90_000,
);

/** The text of a stream that a sample shows as it comes. */
function joined(stream: string): string {
  return [...stream.matchAll(/"content":"([^"]*)"/g)].map(([, text]) => text).join('');
}
