import { readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';

/** One text of the blind set, as it stands in a file of cases/. */
export interface BlindCase {
  /** Kind and number: `named-007`. */
  readonly id: string;
  /** The file it stands in, without a last number: what the case is about, and the row of the table that it counts in. */
  readonly kind: string;
  /** The text with its slots; see fill-slots.ts. */
  readonly template: string;
  /** Where the shape or grammar is documented. */
  readonly source?: string;
  /** Pieces of a line with a secret that must stay. */
  readonly keep: readonly string[];
  /** Whether lines without a secret may change too, as a block that is masked as one. */
  readonly loose: boolean;
}

const HEADER = /^§ ([a-z0-9-]+)$/;
const FIELD = /^§(source|keep|loose)(?: (.*))?$/;

/**
 * Reads every case of the folder, in order of file and line. A case is a line `§ id`, lines `§source URL`, `§keep a ¦ b`
 * and `§loose` as needed, and its text up to the next case. What stands before the first case of a file is a comment.
 *
 * @throws Error for an id that stands twice, or a field that is unknown
 */
export function readBlindCases(folder: URL): BlindCase[] {
  const files = readdirSync(folder)
    .filter((name) => name.endsWith('.txt'))
    .sort();
  const cases = files.flatMap((name) => parseCases(kindOf(name), readFileSync(new URL(name, folder), 'utf8')));
  const ids = new Set<string>();
  for (const { id } of cases) {
    if (ids.has(id)) throw new Error(`Two blind cases are named ${id}.`);
    ids.add(id);
  }
  return cases;
}

/** A long kind has several files, `named-1.txt` and `named-2.txt`. */
function kindOf(file: string): string {
  return basename(file, '.txt').replace(/-\d$/, '');
}

function parseCases(kind: string, file: string): BlindCase[] {
  const cases: BlindCase[] = [];
  let current: { id: string; fields: Map<string, string>; lines: string[] } | undefined;
  const close = () => {
    if (current === undefined) return;
    const { id, fields, lines } = current;
    const source = fields.get('source');
    cases.push({
      id,
      kind,
      template: `${lines.join('\n').replace(/\n+$/, '')}\n`,
      ...(source === undefined ? {} : { source }),
      keep: fields.get('keep')?.split(' ¦ ') ?? [],
      loose: fields.has('loose'),
    });
  };
  for (const line of file.split('\n')) {
    const id = HEADER.exec(line)?.[1];
    if (id !== undefined) {
      close();
      current = { id, fields: new Map(), lines: [] };
    } else if (line.startsWith('§') && current !== undefined) {
      const [, name, value = ''] = FIELD.exec(line) ?? [];
      if (name === undefined) throw new Error(`${current.id} has a field that is not known: ${line}`);
      current.fields.set(name, value);
    } else {
      current?.lines.push(line);
    }
  }
  close();
  return cases;
}
