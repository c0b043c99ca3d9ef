import {
  type Document,
  type ErrorCode,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
} from 'yaml';
import type { CatalogProblem } from './catalog.ts';

/** What a text says, and where each part of it stands. */
export interface YamlTree {
  /** Objects, lists, texts, numbers, `true`, `false` and null. */
  readonly value: unknown;
  /** The place of what a path leads to: of its key where it has one; where there is nothing, of what should hold it. */
  placeOf(path: readonly PropertyKey[]): { readonly line: number; readonly column: number };
}

/** Deep enough for all that a file of models may hold. */
const MOST_DEPTH = 12;
/** A text without end in sight is no help to the one who mends it. */
const MOST_ERRORS = 100;

export interface YamlReading {
  readonly tree: YamlTree;
  readonly problems: readonly CatalogProblem[];
  /** Whether the tree is what the text says, as far as problems let it; else the text is no YAML. */
  readonly isWhole: boolean;
}

/**
 * Reads YAML 1.2 that is plain data: no anchors, aliases, tags and merges, of which bombs are made, one document, and
 * no key twice. Its problems never show the text itself: a secret may stand anywhere by mistake.
 */
export function readYamlTree(text: string): YamlReading {
  const lines = new LineCounter();
  // Unique keys are checked here: the library compares each key of a map with all others.
  const document: Document.Parsed = parseDocument(withoutBraces(text), {
    lineCounter: lines,
    prettyErrors: false,
    logLevel: 'error',
    version: '1.2',
    schema: 'core',
    merge: false,
    strict: true,
    uniqueKeys: false,
    stringKeys: true,
  });
  const at = (offset: number) => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(1, line), column: Math.max(1, col) };
  };
  const problems: CatalogProblem[] = [];
  const add = (offset: number, message: string) => {
    if (problems.length < MOST_ERRORS) problems.push({ ...at(offset), message });
  };
  for (const { code, pos } of [...document.errors, ...document.warnings].slice(0, MOST_ERRORS)) {
    add(pos[0], WORDS[code] ?? 'this is not valid YAML');
  }
  const walk = new Walk(add);
  const value = document.contents === null ? null : walk.read(document.contents, 0);
  const isWhole = document.errors.length === 0;
  return { tree: { value, placeOf: (path) => at(walk.offsetOf(value, path)) }, problems, isWhole };
}

/**
 * Between brackets, YAML would take the braces of `${NAME}` for a map. Of the same length, so that places stay as they are.
 */
function withoutBraces(text: string): string {
  return text.replaceAll(/\$\{([A-Za-z_][A-Za-z0-9_]{0,127})\}/g, `$${OPENS}$1${CLOSES}`);
}

function withVariables(text: string): string {
  return text.includes(OPENS) ? text.replaceAll(OPENS, '{').replaceAll(CLOSES, '}') : text;
}

/** Two characters of Unicode's private use. */
const OPENS = '\u{E000}';
const CLOSES = '\u{E001}';

/** Where the parts of one object or list stand, as offsets in the text. */
type Places = Map<PropertyKey, number>;

/** Makes plain data of the nodes of a document, and notes where it stands. */
class Walk {
  readonly #places = new WeakMap<object, Places>();
  readonly #refuse: (offset: number, message: string) => void;

  constructor(refuse: (offset: number, message: string) => void) {
    this.#refuse = refuse;
  }

  read(node: Node, depth: number): unknown {
    const start = node.range?.[0] ?? 0;
    if (isAlias(node) || ('anchor' in node && node.anchor !== undefined)) {
      this.#refuse(start, 'anchors (&name) and aliases (*name) of YAML are not taken: write the value out');
      return undefined;
    }
    if ('tag' in node && node.tag !== undefined && !PLAIN_TAGS.has(node.tag)) {
      this.#refuse(start, 'tags of YAML (!name) are not taken: leave it out');
      return undefined;
    }
    if (depth > MOST_DEPTH) {
      this.#refuse(start, `nothing may be nested deeper than ${MOST_DEPTH} levels`);
      return undefined;
    }
    if (isScalar(node)) return typeof node.value === 'string' ? withVariables(node.value) : node.value;
    if (isSeq(node)) return this.#readList(node.items, depth);
    return isMap(node) ? this.#readMap(node.items, depth) : undefined;
  }

  offsetOf(root: unknown, path: readonly PropertyKey[]): number {
    let offset = 0;
    let value = root;
    for (const step of path) {
      const place = isObject(value) ? this.#places.get(value)?.get(step) : undefined;
      if (place === undefined) break;
      offset = place;
      value = (value as Record<PropertyKey, unknown>)[step];
    }
    return offset;
  }

  #readList(items: readonly unknown[], depth: number): unknown[] {
    const list: unknown[] = [];
    const places: Places = new Map();
    for (const [index, item] of items.entries()) {
      places.set(index, startOf(item));
      list.push(this.read(item as Node, depth + 1));
    }
    this.#places.set(list, places);
    return list;
  }

  #readMap(items: readonly { key: unknown; value: unknown }[], depth: number): Record<string, unknown> {
    const map: Record<string, unknown> = {};
    const places: Places = new Map();
    for (const { key, value } of items) {
      const name = isScalar(key) && typeof key.value === 'string' ? key.value : undefined;
      const offset = startOf(key);
      if (name === undefined) this.#refuse(offset, 'a key must be a plain text');
      else if (name === '__proto__') this.#refuse(offset, 'this cannot be a key');
      else if (places.has(name)) this.#refuse(offset, 'this key stands here twice: keep one of them');
      else {
        places.set(name, offset);
        map[name] = value === null ? null : this.read(value as Node, depth + 1);
      }
    }
    this.#places.set(map, places);
    return map;
  }
}

/** What the library gives nodes without a tag of their own. */
const PLAIN_TAGS: ReadonlySet<string> = new Set(
  ['map', 'seq', 'str', 'int', 'float', 'bool', 'null'].map((name) => `tag:yaml.org,2002:${name}`),
);

function startOf(node: unknown): number {
  const range = isObject(node) && 'range' in node ? (node.range as readonly number[] | null | undefined) : undefined;
  return range?.[0] ?? 0;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** The library's own words hold pieces of the text. */
const WORDS: Partial<Record<ErrorCode, string>> = {
  BAD_ALIAS: 'anchors (&name) and aliases (*name) of YAML are not taken: write the value out',
  BAD_DQ_ESCAPE: 'a backslash in "…" begins an escape that YAML does not know',
  BAD_INDENT: 'the indentation does not fit: what belongs together begins in the same column',
  BAD_SCALAR_START: 'a text cannot begin with this character: put it in quotes',
  BLOCK_AS_IMPLICIT_KEY: 'a key and its value cannot follow another key in the same line',
  KEY_OVER_1024_CHARS: 'a key must be in one line of at most 1024 characters',
  MISSING_CHAR: 'something is missing here: a space behind ":", or a bracket or quote that closes what was opened',
  MULTILINE_IMPLICIT_KEY: 'a key must be in one line: is a ":" missing?',
  MULTIPLE_DOCS: 'the file must hold one document: take out the line "---"',
  NON_STRING_KEY: 'a key must be a plain text',
  TAB_AS_INDENT: 'indent with spaces: YAML takes no tabs there',
  TAG_RESOLVE_FAILED: 'tags of YAML (!name) are not taken: leave it out',
  RESOURCE_EXHAUSTION: 'this is nested too deep to be read',
};
