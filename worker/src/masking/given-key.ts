import { isNoise } from './drawn-value.ts';
import type { SecretName } from './secret-name.ts';
import type { TextWindow } from './text-window.ts';
import { verdict } from './verdicts.ts';

/** `define('AUTH_KEY', '…')`, `SECURE_AUTH_SALT`: drawn with all marks there are. */
export function isKeyOfNoise(window: TextWindow, { start, end }: SecretName, text: string): boolean {
  return (
    /(?:key|salt|secret|token|pass(?:word)?)$/i.test(window.slice(start, end)) &&
    verdict(window, 'noise', text, isNoise)
  );
}

/** `session({ secret: '…' })`: what a session's cookie is signed with. */
export function isOfSession(window: TextWindow, { start, end }: SecretName): boolean {
  if (end - start !== 6 || !window.matches(start, 'secret')) return false;
  return OPENS_SESSION.test(window.left(start, REACH_OF_SESSION));
}

const REACH_OF_SESSION = 24;
const OPENS_SESSION = /(?:session|cookie|jwt|csrf)\(\{\s{0,12}["']?$/i;
