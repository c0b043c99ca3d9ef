import { features, readFeatures, WEIGHTS } from './identifier-features.ts';
import { IDENTIFIER_WEIGHTS, WEIGHT_SCALE } from './identifier-weights.ts';

/**
 * Logarithm of odds below which a value is an identifier. On packages it was not fitted on 95 % of identifiers with digits
 * or capitals score lower, and 0.4 % of drawn values.
 */
const IDENTIFIER = -2 * WEIGHT_SCALE;
/** What else a value of secrets is made of speaks for itself. */
const CHARACTERS = /^[A-Za-z_$][\w$./+-]*$/;

const weights = new Int8Array(Buffer.from(IDENTIFIER_WEIGHTS, 'base64'));

/** True for `resolveAwsSdkSigV4Config`, `glUniformMatrix2x3dv`, `OpAMD64VPADDQMasked512`: words and their abbreviations. */
export function readsAsIdentifier(value: string): boolean {
  if (!CHARACTERS.test(value)) return false;
  let score = weights[WEIGHTS - 1] ?? 0;
  const count = readFeatures(value);
  for (let feature = 0; feature < count; feature++) score += weights[features[feature] ?? 0] ?? 0;
  return score < IDENTIFIER;
}
