import { looksLikeAdminToken } from '@lontar/shared/admin/admin-token.ts';
import { API_KEY_CHARACTERS, API_KEY_PREFIX, readKeyId } from '@lontar/shared/api-key.ts';

/** What keys were pasted with or instead of, each with what to do; the first that fits is said. None is repeated. */
const FORMS: readonly (readonly [form: RegExp, message: string])[] = [
  [
    /^Bearer\b/i,
    'The key begins with the word Bearer, which belongs into the header Authorization alone, once: Authorization: Bearer YOUR_KEY.',
  ],
  [/^["'`“”‘’]|["'`“”‘’]$/, 'The key has quotation marks around it. Send it without them.'],
  [
    /^(?:YOUR|THE|MY)[_-]|^<|\$\{?\w|%\w+%/i,
    'This is a placeholder, not a key. Put your own key in its place; in a shell, is the variable set?',
  ],
  [/\s|\\[nr]/, 'There is a space or a line end within the key. Paste it again, in one piece.'],
  [/^sk-|^AIza/, `This is a key of another service. Keys of this one begin with ${API_KEY_PREFIX}.`],
];

/**
 * Says what is wrong with a key that can be none by its form: who is told only that it does not exist looks for a typing
 * error. Nothing of the key is repeated.
 *
 * @returns `undefined` where the form is right, so that only its being known is in question
 */
export function wrongFormMessage(key: string): string | undefined {
  if (looksLikeAdminToken(key)) {
    return `This is an admin token, which is for /admin/v1 alone. Send an API key, which begins with ${API_KEY_PREFIX}.`;
  }
  if (readKeyId(key) !== undefined) return undefined;
  const message = FORMS.find(([form]) => form.test(key))?.[1];
  if (message !== undefined) return message;
  if (!key.startsWith(API_KEY_PREFIX)) return `This is no API key of this service: they begin with ${API_KEY_PREFIX}.`;
  if (key.length === API_KEY_CHARACTERS) return 'This API key has a typing error in it. Paste it again.';
  return `This API key has ${key.length} characters, and all have ${API_KEY_CHARACTERS}: it was not pasted whole. Paste it again.`;
}
