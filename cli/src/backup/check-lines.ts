import type { FileLine, KeyLine, Line } from './backup-format.ts';
import { apiKeyIdOf, type DurableFamily, durableFamily } from './durable-keys.ts';
import { isItemOf } from './value-items.ts';

/** Bytes of one upload at most; an object store takes no larger one in one request either. */
const MOST_CONTENT_BYTES = 5 * 1024 ** 3;

/** Looks at the lines of a backup in their order, whichever program wrote them. */
export interface LineCheck {
  /** @returns what is wrong with this line, where it stands */
  problemOf(line: Line): string | undefined;
  /** What is wrong with the lines as a whole, when all have been seen. */
  problemAtEnd(): string | undefined;
  /** Redis entries. */
  readonly keys: number;
  readonly apiKeys: number;
  readonly files: number;
}

/** A value or file of which more is to come. */
interface Begun {
  readonly name: string;
  readonly type: string;
  items: number;
  bytes: number;
}

/**
 * Checks that lines name only Redis entries and files that a backup holds, of the type that these have, in order, each
 * once, and in sizes that these can have. What a dump holds only Redis knows (dumped-value.ts).
 */
export function checkLines(): LineCheck {
  let begun: Begun | undefined;
  let lastKey = '';
  const seen = { keys: 0, apiKeys: 0, files: 0 };
  const count = (key: string) => {
    seen.keys += 1;
    if (apiKeyIdOf(key) !== undefined) seen.apiKeys += 1;
  };

  /** @returns whether this line goes on with what the last one began; `undefined` where it breaks it off */
  const goesOn = (name: string, type: string): boolean | undefined => {
    if (begun === undefined) return false;
    return begun.name === name && begun.type === type ? true : undefined;
  };

  const problemOfKey = (line: Exclude<Line, FileLine>): string | undefined => {
    const family = durableFamily(line.key);
    if (family === undefined) return `it holds ${JSON.stringify(line.key)}, which is no key that a backup has`;
    const continued = goesOn(line.key, family.type);
    if (continued === undefined) return 'a value of it is cut off';
    if (!continued && line.key <= lastKey) return 'its Redis entries are not in order';
    lastKey = line.key;
    if ('items' in line) return problemOfItems(line, family);
    count(line.key);
    return undefined;
  };

  const problemOfItems = (line: KeyLine, family: DurableFamily): string | undefined => {
    if (line.type !== family.type) return `${line.key} is a ${line.type} in it, and must be a ${family.type}`;
    const items = (begun?.items ?? 0) + line.items.length;
    if (items > family.most) return `${line.key} has too many items in it`;
    const isWhole = line.items.every((item) =>
      isItemOf(
        family,
        item.map((part) => Buffer.from(part, 'base64')),
      ),
    );
    if (!isWhole || (items === 0 && !line.more)) return `${line.key} has a form in it that it cannot have`;
    begun = line.more ? { name: line.key, type: line.type, items, bytes: 0 } : undefined;
    if (!line.more) count(line.key);
    return undefined;
  };

  const problemOfFile = (line: FileLine): string | undefined => {
    if (goesOn(line.file, 'file') === undefined) return 'a file of it is cut off';
    const bytes = (begun?.bytes ?? 0) + Buffer.byteLength(line.data, 'base64');
    if (bytes > MOST_CONTENT_BYTES) return `${line.file} is too large in it`;
    begun = line.more ? { name: line.file, type: 'file', items: 0, bytes } : undefined;
    if (!line.more) seen.files += 1;
    return undefined;
  };

  return {
    problemOf: (line) => ('file' in line ? problemOfFile(line) : problemOfKey(line)),
    problemAtEnd: () => (begun === undefined ? undefined : 'its last value is cut off'),
    get keys() {
      return seen.keys;
    },
    get apiKeys() {
      return seen.apiKeys;
    },
    get files() {
      return seen.files;
    },
  };
}
