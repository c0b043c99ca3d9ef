import { CODE } from './characters.ts';
import type { Operator } from './given-value.ts';
import type { TextWindow } from './text-window.ts';

/** How much before a name is read: a function, a bracket, a quote and the parents of the name. */
const REACH = 72;
/** A variable of the environment is read: `process.env.X`, `ENV['X']`, `os.getenv("X")`, `env::var("X")`. */
const READS_ENVIRONMENT =
  /(?:\benv(?:iron)?\??\.|\benv(?:iron)?\[["']|getenv\(["']|get_env\(["']|environ\.get\(["']|env::var\(["']|environmentvariable\(["']|env\.get\(["'])\w{0,24}$/i;
/** What gives the value behind a name, or stands for it where there is none: `setProperty("…", "…")`, `getenv("…", "…")`. */
const GIVES =
  /(?:getenv|get_env|environ\.get|setdefault|\benv|\bfetch|\bconfig|setenv|set_var|putenv|getordefault|getproperty|\bdefine|\.put|\.append|setproperty|addproperty|setparameter|setoption|flag\.string|addqueryparam|formparam|inputpassword|localstorage\.setitem|sessionstorage\.setitem|modparam\("\w{1,24}", ?)\(?\s{0,8}["'][\w.-]{0,40}$/i;

/** Whether the name at `nameStart` is one of the environment, and its value is read there. */
export function isEnvironmentRead(window: TextWindow, nameStart: number): boolean {
  return READS_ENVIRONMENT.test(window.left(nameStart, REACH));
}

/** `env::var("X").unwrap_or("…")`, `os.environ.get("X") or "…"`: what is taken where the environment has no such variable. */
export function behindRead(window: TextWindow, nameStart: number, at: number): Operator | undefined {
  const code = window.at(at);
  if (code !== CODE.dot && code !== CODE.o && code !== CODE.openBrace) return undefined;
  if (!isEnvironmentRead(window, nameStart)) return undefined;
  const taken = TAKEN_INSTEAD.exec(window.peek(at, LONGEST_INSTEAD));
  return taken === null ? undefined : { end: at + taken[0].length, kind: 'assign', tight: true, sure: true };
}

const LONGEST_INSTEAD = 40;
const TAKEN_INSTEAD =
  /^(?:\.(?:unwrap_or(?:_else)?|or_?else(?:get)?|or|getorelse|get_or|default)\((?:\|\w{0,8}\| ?|\(\) ?-> ?)?|or |\{ ?)(?=["'])/i;

/**
 * A comma behind an option in quotes, or behind a name in quotes that a call gives its value: `"--password", "…"`,
 * `getenv("PASSWORD", "…")`; behind any other, `"password", "…"`, and Erlang's `{password, "…"}`, the value shows more.
 */
export function commaBehind(
  window: TextWindow,
  nameStart: number,
  index: number,
  closed: boolean,
): Operator | undefined {
  if (closed && window.text.startsWith('--', nameStart))
    return { end: behindLabel(window, index), kind: 'assign', tight: false, sure: true };
  if (closed && GIVES.test(window.left(nameStart, REACH)))
    return { end: behindLabel(window, index), kind: 'loose', tight: true, sure: true };
  if (closed) return { end: behindLabel(window, index), kind: 'loose', tight: false };
  // `properties.put(PROP_PASSWORD, "…")`
  if (GIVES_CONSTANT.test(window.left(nameStart, REACH)))
    return { end: index + 1, kind: 'loose', tight: true, sure: true };
  return window.before(nameStart - 1) === CODE.openBrace
    ? { end: index + 1, kind: 'loose', tight: false, sure: true }
    : undefined;
}

/** The name is a constant. */
const GIVES_CONSTANT =
  /(?:\.put|\.set|setproperty|setenv|\.option|\.config|\.append)\(\s{0,8}(?:[A-Z][\w.]{0,32}\.)?(?:[A-Z\d]{1,16}_){0,4}$/;

/** Behind the comma, and the name of the argument that stands there: `getenv("PASSWORD", default="…")`. */
function behindLabel(window: TextWindow, comma: number): number {
  const label = NAMES_DEFAULT.exec(window.peek(comma, LONGEST_LABEL));
  return comma + (label === null ? 1 : label[0].length);
}

const LONGEST_LABEL = 32;
const NAMES_DEFAULT = /^,\s{0,8}(?:default(?:_value|value)?|fallback)\s?[=:]\s?(?=["'])/i;
