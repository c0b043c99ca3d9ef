import { ALNUM, isIn, lowerCase } from './characters.ts';
import type { SecretName } from './secret-name.ts';
import type { TextWindow } from './text-window.ts';

/** `HAS_PSK: has_psk`, `"nopassword": "cfg_NoPassword"`: the name once more, as a key's or a function's. */
export function saysItsName(window: TextWindow, name: SecretName, text: string): boolean {
  if (name.end - name.start < SHORTEST_SAID) return false;
  // Both end alike, or in a mark.
  const last = text.charCodeAt(text.length - 1);
  if (lowerCase(last) !== lowerCase(window.code(name.end - 1)) && isIn(last, ALNUM)) return false;
  if (!/^\w+$/.test(text)) return false;
  const [given, said] = [window.slice(name.start, name.end), text].map((word) =>
    word.toLowerCase().replaceAll(/[^a-z0-9]/g, ''),
  );
  return given === said || (given !== undefined && !/\d/.test(text) && said?.endsWith(given) === true);
}

/** A shorter name may be a bad password as well. */
const SHORTEST_SAID = 10;
