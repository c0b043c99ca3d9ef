import { expect, test } from '@jest/globals';
import { parseOptions } from './command-options.ts';

const command = {
  name: 'npm run try --',
  about: 'Tries things.',
  options: {
    minutes: { type: 'number', value: 'N', default: 30, about: 'how long' },
    kind: { type: 'text', value: 'PREFIX', about: 'which of them' },
    only: { type: 'names', choices: ['first', 'second'], about: 'these alone' },
    quick: { type: 'flag', about: 'few samples' },
  },
} as const;
const KNOWN = 'Known options: --minutes, --kind, --only, --quick, --help.';

test.each([
  [[], { minutes: 30, kind: undefined, only: undefined, quick: false }],
  [['--minutes', '0.5', '--quick'], { minutes: 0.5, kind: undefined, only: undefined, quick: true }],
  [['--only=first,second', '--kind', 'a'], { minutes: 30, kind: 'a', only: ['first', 'second'], quick: false }],
  [['--only', 'first', '--only', 'second'], { minutes: 30, kind: undefined, only: ['first', 'second'], quick: false }],
])('reads %j', (args, values) => {
  expect(parseOptions(command, args)).toEqual({ kind: 'values', values: { ...values, rest: [] } });
});

test.each([
  [['--sede', '7'], `Unknown option '--sede'. ${KNOWN}`],
  [['first'], `Unexpected argument 'first'. ${KNOWN}`],
  [['--kind'], `Option '--kind <value>' argument missing. ${KNOWN}`],
  [['--quick=yes'], `Option '--quick' does not take an argument. ${KNOWN}`],
  [['--minutes', 'long'], `--minutes has to be a number, not 'long'. ${KNOWN}`],
  [['--only', 'third'], `--only does not know 'third'; it knows first, second. ${KNOWN}`],
])('refuses %j in one sentence, with the options that there are', (args, text) => {
  expect(parseOptions(command, args)).toEqual({ kind: 'refused', text });
});

test('takes what stands beside the options, where the command does', () => {
  const taking = { name: 'try', about: 'Tries.', options: { quick: command.options.quick }, takes: 'FOLDER' } as const;
  expect(parseOptions(taking, ['a', '--quick', 'b'])).toEqual({
    kind: 'values',
    values: { quick: true, rest: ['a', 'b'] },
  });
  const text = 'A FOLDER is needed. Known options: --quick, --help.';
  expect(parseOptions(taking, ['--quick'])).toEqual({ kind: 'refused', text });
  expect(parseOptions(taking, ['--help'])).toMatchObject({
    text: expect.stringMatching(/^Usage: try \[options\] FOLDER …\n/),
  });
});

test('shows the usage, with every option and name', () => {
  expect(parseOptions(command, ['--quick', '--help'])).toEqual({
    kind: 'help',
    text: `Usage: npm run try -- [options]

Tries things.

  --minutes N    how long (30 where not given)
  --kind PREFIX  which of them
  --only NAME    these alone:
      first
      second
  --quick        few samples
  --help         shows this`,
  });
});
