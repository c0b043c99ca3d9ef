import { CODE, isIn, QUOTE } from './characters.ts';
import type { GivenValue, Operator } from './given-value.ts';
import { hasLoginBefore } from './login-beside.ts';
import type { SecretName } from './secret-name.ts';
import { isTellingValue } from './telling-value.ts';
import type { TextWindow } from './text-window.ts';

/** `Shared secret: Tr4v!s#82`, `Key: Tr4v!s#82` below the name of a network, `Password - Tr4v!s#82`: the value tells by itself. */
export function isTold(
  window: TextWindow,
  name: SecretName,
  operator: Operator,
  { quoted, last, below, end }: GivenValue,
  text: string,
): boolean {
  if (below || operator.compares === true || !(quoted || last || isIn(window.at(end), QUOTE))) return false;
  if (name.kind === 'password')
    return (
      operator.kind === 'loose' && DASHES.has(window.before(operator.end - 1)) && isTellingValue(window, text, quoted)
    );
  const named = window.slice(name.start, name.end);
  if (operator.kind !== 'assign' && !(operator.kind === 'loose' && quoted && HEADER.test(named))) return false;
  const isSecret =
    name.kind === 'secret'
      ? TAKES_PASSWORDS.test(named)
      : /^(?:wifi[_-]?)?key$/i.test(named) && hasLoginBefore(window, name.start);
  return isSecret && isTellingValue(window, text, quoted);
}

/** `'x-api-key', '…'`: a header and what it is set to. */
const HEADER = /^x-[a-z-]{0,24}(?:key|token|secret)$/i;
/** Secrets that a person thinks up; tokens, cookies and signatures are drawn. */
const TAKES_PASSWORDS =
  /(?:secret|rahasia|secreto|segreto|segredo|geheimnis|(?:secret|encryption|signing|master|api|access|auth)[ _-]?key|salt|pepper|^x-[a-z-]{0,24}token)$/i;
const DASHES: ReadonlySet<number> = new Set([CODE.hyphen, CODE.enDash, CODE.emDash]);

/** Basic's `Protect Password:="…"`: no blank stands around the sign. */
export function isNamedArgument(window: TextWindow, name: SecretName, operator: Operator): boolean {
  return operator.end === name.end + 2 && window.matches(name.end, ':="');
}
