import { hashApiKey } from '@lontar/shared/api-key.ts';
import type { PresentedKey } from '../envelope/request-context.ts';
import type { AdmissionInput } from './admit.ts';

/**
 * A presented key in the form that admission judges.
 *
 * @param pepper `KEY_PEPPER`
 * @returns `undefined` for what is not a key by its form: it is not looked up
 */
export function keyToJudge({ id, text }: PresentedKey, pepper: string): AdmissionInput['key'] {
  return id === undefined ? undefined : { id, hash: hashApiKey(text, pepper) };
}
