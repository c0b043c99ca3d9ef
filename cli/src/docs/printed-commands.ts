import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A command that a reader is given to type. */
export interface PrintedCommand {
  /** File and line. */
  readonly place: string;
  /** From its first word to the end of the command: no pipe, redirection or comment behind it. */
  readonly words: readonly string[];
}

/** Where readers find commands: documents, files that they copy from, the page, and what programs print. */
const PLACES = [
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'ARCHITECTURE.md',
  'CHANGELOG.md',
  '.github/**/*.{md,yml}',
  '.env.example',
  'docker-compose.yml',
  'Dockerfile',
  'docs/*.md',
  'docs/decisions/*.md',
  'worker/testing/**/*.md',
  'docs/runbooks/*.md',
  'deploy/**/*',
  'dashboard/prometheus/**/*.{md,yml}',
  'dashboard/web/src/**/*.tsx',
  '{cli,gateway,shared,stats-service,worker}/src/**/*.ts',
] as const;

const SOURCE = /\.tsx?$/;
/** Ends a command in a shell, or in the text around it. */
const END = /[|&;<>#`"'\n)…\\]|: |, |\.(?:\s|$)/;
const STARTS =
  /(?<![\w./@'-])(?:docker compose|npm (?:run|start|test)|node(?= [a-z]\w*\/)|(?:\.\/\.lontar\/)?lontar)(?= |$)/g;

/** All commands of a project that are for readers to type, as they stand there. */
export function findPrintedCommands(root: string): PrintedCommand[] {
  const files = PLACES.flatMap((place) => globSync(place, { cwd: root })).filter(
    (file) => !/\.test\.ts$|\/testing\//.test(file),
  );
  return files.flatMap((file) => {
    const lines = readText(join(root, file)).split('\n');
    return lines.flatMap((line, index) =>
      commandsIn(file, line).map((words) => ({ place: `${file}:${index + 1}`, words })),
    );
  });
}

function commandsIn(file: string, line: string): string[][] {
  return spansOf(file, line).flatMap((span) =>
    [...span.matchAll(STARTS)].map(({ index }) => {
      const text = span.slice(index);
      return text.slice(0, END.exec(text)?.index).trim().split(/\s+/);
    }),
  );
}

/** In sources only what is printed: texts in quotes, and what the page shows as code. */
function spansOf(file: string, line: string): string[] {
  if (!SOURCE.test(file)) return [line];
  if (/^\s*(?:\*|\/\/|\/\*)/.test(line)) return [];
  const quoted = [...line.matchAll(/(['`])((?:(?!\1).)*)\1/g)].map(([, , text = '']) => text);
  return [...quoted, ...[...line.matchAll(/<code>([^<]*)<\/code>/g)].map(([, text = '']) => text)];
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    // A folder that the pattern matches.
    if ((error as NodeJS.ErrnoException).code === 'EISDIR') return '';
    throw error;
  }
}
