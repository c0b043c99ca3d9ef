import { type Comment, type Function as FunctionNode, type Node, parseSync, Visitor } from 'oxc-parser';

/** An exported function that can fail while its docstring does not say so. */
export interface Undocumented {
  /** `file:line name`. */
  readonly where: string;
  /** `throws`: a `throw` of its own. `redis`: it sends commands to Redis, or hands its client on. */
  readonly why: 'throws' | 'redis';
}

/** How many exported functions can fail, and which of them do not say how. */
export interface ErrorsOfFile {
  readonly failing: Readonly<Record<Undocumented['why'], number>>;
  readonly undocumented: readonly Undocumented[];
}

type Callable = FunctionNode | Extract<Node, { type: 'ArrowFunctionExpression' }>;

/** What a docstring says it with: `@throws`, or that the function never does. */
const SAYS_ERRORS = /@throws|\bNever (?:throws|rejects)\b/;
/** Names of what a command is called on, or of what is handed on to a function that calls it. */
const REDIS_CLIENT = /^(?:redis|subscriber)$|Redis$/;

/**
 * The exported functions of a source that can fail: those with a `throw` that nothing in them catches, and those that work
 * with Redis in an `async` function, their own or one inside them. A function that calls another one that throws is not
 * found; it says so all the same.
 *
 * @throws Error when the source cannot be parsed
 */
export function undocumentedErrors(file: string, source: string): ErrorsOfFile {
  // Most files do neither, and need not be parsed.
  if (!/\bthrow\b|redis|subscriber/i.test(source)) return { failing: { throws: 0, redis: 0 }, undocumented: [] };
  const { program, comments, errors } = parseSync(file, source);
  if (errors.length > 0) throw new Error(`${file} cannot be parsed: ${errors[0]?.message ?? ''}`);
  const failing = { throws: 0, redis: 0 };
  const undocumented: Undocumented[] = [];
  for (const { name, start, callable } of program.body.flatMap(exportedFunctions)) {
    const docstring = docstringBefore(source, comments, start);
    for (const why of reasonsToFail(callable)) {
      failing[why]++;
      if (SAYS_ERRORS.test(docstring)) continue;
      const line = source.slice(0, start).split('\n').length;
      undocumented.push({ where: `${file}:${line} ${name}`, why });
    }
  }
  return { failing, undocumented };
}

function exportedFunctions(node: Node): { name: string; start: number; callable: Callable }[] {
  if (node.type !== 'ExportNamedDeclaration' || node.declaration === null) return [];
  const { declaration, start } = node;
  if (declaration.type === 'FunctionDeclaration')
    return [{ name: declaration.id?.name ?? '', start, callable: declaration }];
  if (declaration.type !== 'VariableDeclaration') return [];
  return declaration.declarations.flatMap(({ id, init }) =>
    init?.type === 'ArrowFunctionExpression' || init?.type === 'FunctionExpression'
      ? [{ name: id.type === 'Identifier' ? id.name : '', start, callable: init }]
      : [],
  );
}

/** The text of the docstring that ends right before `start`; empty where there is none. */
function docstringBefore(source: string, comments: readonly Comment[], start: number): string {
  const last = comments.findLast(({ end }) => end <= start);
  if (last === undefined || source.slice(last.end, start).trim() !== '') return '';
  return last.type === 'Block' && last.value.startsWith('*') ? last.value.replaceAll(/\n *\*/g, '') : '';
}

function reasonsToFail(callable: Callable): Undocumented['why'][] {
  const throws = throwsItself(callable);
  const redis = worksWithRedis(callable);
  return [...(throws ? (['throws'] as const) : []), ...(redis ? (['redis'] as const) : [])];
}

/** True for a `throw` of the function's own, not one of a function inside it, which no `try` of its own catches. */
function throwsItself({ body, start, end }: Callable): boolean {
  if (body === null) return false;
  const inner: Node[] = [];
  const caught: Node[] = [];
  const thrown: Node[] = [];
  const add = (node: Node) => inner.push(node);
  new Visitor({
    FunctionDeclaration: add,
    FunctionExpression: add,
    ArrowFunctionExpression: add,
    TryStatement: ({ block, handler }) => handler !== null && caught.push(block),
    ThrowStatement: (node) => thrown.push(node),
  }).visit(programOf(body));
  const holds = (outer: Node, node: Node) => outer.start <= node.start && node.end <= outer.end;
  const others = [...inner.filter((node) => node.start !== start || node.end !== end), ...caught];
  return thrown.some((node) => !others.some((outer) => holds(outer, node)));
}

/** True where the function waits, or gives a function that waits, and uses a client of Redis. */
function worksWithRedis(callable: Callable): boolean {
  let waits = callable.async || givesPromise(callable);
  let uses = false;
  const noteAsync = ({ async }: { readonly async: boolean }) => {
    waits ||= async;
  };
  new Visitor({
    FunctionDeclaration: noteAsync,
    FunctionExpression: noteAsync,
    ArrowFunctionExpression: noteAsync,
    CallExpression({ callee, arguments: given }) {
      const on = callee.type === 'MemberExpression' ? lastName(callee.object) : '';
      uses ||= REDIS_CLIENT.test(on) || given.some((argument) => REDIS_CLIENT.test(lastName(argument)));
    },
  }).visit(programOf(callable));
  return waits && uses;
}

function givesPromise({ returnType }: Callable): boolean {
  const type = returnType?.typeAnnotation;
  return type?.type === 'TSTypeReference' && type.typeName.type === 'Identifier' && type.typeName.name === 'Promise';
}

/** `redis` of `redis` and of `deps.redis`. */
function lastName(node: Node): string {
  if (node.type === 'Identifier') return node.name;
  return node.type === 'MemberExpression' && node.property.type === 'Identifier' ? node.property.name : '';
}

/** The visitor begins at a program. */
function programOf(node: Node): Parameters<InstanceType<typeof Visitor>['visit']>[0] {
  return { type: 'Program', body: [node], sourceType: 'module', hashbang: null, start: 0, end: 0 } as never;
}
