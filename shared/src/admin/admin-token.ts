import { checksum, randomBase62 } from '../api-key.ts';

const PREFIX = 'lt_admin_';
const ID_CHARACTERS = 10;
const SECRET_CHARACTERS = 32;
const CHECKSUM_CHARACTERS = 6;
const FORM = /^lt_admin_([0-9A-Za-z]{10})_[0-9A-Za-z]{38}$/;
const ANYWHERE = /lt_admin_[0-9A-Za-z]{10}_/;

/** Form of the public part of an admin token. */
export const ADMIN_TOKEN_ID_PATTERN = /^[0-9A-Za-z]{10}$/;

/** What an admin token may do, from the least to the most; each may what those before it may. */
export const ADMIN_ROLES = ['viewer', 'support', 'operator'] as const;
export type AdminRole = (typeof ADMIN_ROLES)[number];

/** Whether a role may what another one may. */
export function mayAs(role: AdminRole, wanted: AdminRole): boolean {
  return ADMIN_ROLES.indexOf(role) >= ADMIN_ROLES.indexOf(wanted);
}

/**
 * Makes a new admin token, `lt_admin_<id>_<secret><checksum>`, from a cryptographically secure random source. The prefix
 * keeps it apart from API keys: neither can be taken for the other.
 */
export function mintAdminToken(): { readonly id: string; readonly token: string } {
  const id = randomBase62(ID_CHARACTERS);
  const body = `${PREFIX}${id}_${randomBase62(SECRET_CHARACTERS)}`;
  return { id, token: body + checksum(body) };
}

/**
 * Reads the public part out of an admin token.
 *
 * @returns the id, or `undefined` when the text is none: wrong form, or a checksum that does not fit
 */
export function readAdminTokenId(token: string): string | undefined {
  const id = FORM.exec(token)?.[1];
  if (id === undefined) return undefined;
  return token.endsWith(checksum(token.slice(0, -CHECKSUM_CHARACTERS))) ? id : undefined;
}

/** Whether a text is meant to be an admin token, were it with a typing error. */
export function looksLikeAdminToken(text: string): boolean {
  return text.startsWith(PREFIX);
}

/** Whether a text, such as a URL, holds what is meant to be an admin token. */
export function holdsAdminToken(text: string): boolean {
  return ANYWHERE.test(text);
}
