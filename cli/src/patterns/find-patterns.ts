import { type CallExpression, type Expression, type NewExpression, parseSync, Visitor } from 'oxc-parser';

/** A regular expression in a source file. */
export interface FoundPattern {
  readonly file: string;
  /** From 1. */
  readonly line: number;
  /** The pattern; of one that is built while running, the expression that builds it, white space folded. */
  readonly pattern: string;
  readonly flags: string;
  /** Built from something else than one literal text, so that it cannot be judged as it stands. */
  readonly built: boolean;
}

/** Methods of strings that make a regular expression of a text. */
const MAKERS = new Set(['match', 'matchAll', 'search']);

/**
 * Every regular expression in a source: literals, `RegExp(…)` with and without `new`, and texts given to `match`,
 * `matchAll` and `search`.
 *
 * @throws Error when the source cannot be parsed: a file that is not read is no file without findings
 */
export function findPatterns(file: string, source: string): FoundPattern[] {
  const { program, errors } = parseSync(file, source);
  if (errors.length > 0) throw new Error(`${file} cannot be parsed: ${errors[0]?.message ?? ''}`);
  const found: FoundPattern[] = [];
  const add = (start: number, pattern: string, flags: string, built: boolean) =>
    found.push({ file, line: lineOf(source, start), pattern, flags, built });
  const addMade = (made: CallExpression | NewExpression) => {
    const [first, second] = made.arguments;
    // The literal inside is found by itself.
    if (first !== undefined && 'regex' in first && second === undefined) return;
    const pattern = textOf(first);
    const flags = second === undefined ? '' : textOf(second);
    if (pattern !== undefined && flags !== undefined) add(made.start, pattern, flags, false);
    else add(made.start, folded(source.slice(made.start, made.end)), '', true);
  };
  new Visitor({
    Literal(node) {
      if ('regex' in node) add(node.start, node.regex.pattern, node.regex.flags, false);
    },
    NewExpression(node) {
      if (isRegExp(node.callee)) addMade(node);
    },
    CallExpression(node) {
      if (isRegExp(node.callee) || makesPattern(node)) addMade(node);
    },
  }).visit(program);
  return found;
}

function isRegExp(callee: Expression): boolean {
  if (callee.type === 'Identifier') return callee.name === 'RegExp';
  return callee.type === 'MemberExpression' && !callee.computed && callee.property.name === 'RegExp';
}

/** `text.match('a+')`: a text where a pattern is wanted. A pattern that has a name is found where it is made. */
function makesPattern({ callee, arguments: [first] }: CallExpression): boolean {
  if (callee.type !== 'MemberExpression' || callee.computed || !MAKERS.has(callee.property.name)) return false;
  return first !== undefined && (textOf(first) !== undefined || first.type === 'TemplateLiteral');
}

/** The text of a literal or of a template without holes; `undefined` for everything else. */
function textOf(node: CallExpression['arguments'][number] | undefined): string | undefined {
  if (node?.type === 'Literal' && typeof node.value === 'string') return node.value;
  if (node?.type === 'TemplateLiteral' && node.expressions.length === 0)
    return node.quasis[0]?.value.cooked ?? undefined;
  return undefined;
}

function folded(source: string): string {
  return source.replaceAll(/\s+/g, ' ');
}

function lineOf(source: string, offset: number): number {
  return source.slice(0, offset).split('\n').length;
}
