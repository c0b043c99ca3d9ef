import { spawnSync } from 'node:child_process';

/** Runs a command at a terminal of its own, of which our pipes are keyboard and screen. */
const WAYS: readonly { readonly check: readonly string[]; wrap(command: readonly string[]): string[] }[] = [
  {
    check: ['script', '--quiet', '--return', '--command', 'test -t 0', '/dev/null'],
    wrap: (command) => [
      'script',
      '--quiet',
      '--return',
      '--flush',
      '--command',
      command.map(quoted).join(' '),
      '/dev/null',
    ],
  },
  {
    check: ['python3', '-c', 'import pty'],
    wrap: (command) => ['python3', '-c', 'import pty, sys; sys.exit(pty.spawn(sys.argv[1:]) >> 8)', ...command],
  },
];

/**
 * What runs a command at a terminal here: `script` of util-linux, or Python.
 *
 * @returns undefined where there is neither
 */
export function findTerminal(): ((command: readonly string[]) => string[]) | undefined {
  return WAYS.find(({ check: [program = '', ...args] }) => spawnSync(program, args).status === 0)?.wrap;
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
