/** The seed of the values with which the score below was taken. */
export const HELD_SEED = '1';

/**
 * The most that may go wrong, by kind: secrets leaked, texts with a secret of which something else changed, clean texts
 * changed, texts changed again by masking them twice. It is what the masker does now; a better masker lowers a number.
 */
export const HELD_SCORE: Readonly<Record<string, readonly [number, number, number, number]>> = {
  addresses: [0, 0, 0, 0],
  'aimed-01-version-or-address': [1, 0, 0, 0],
  'aimed-02-identifiers': [0, 0, 0, 0],
  'aimed-03-cloud-ids': [0, 0, 0, 0],
  'aimed-04-public-blocks': [0, 0, 0, 0],
  'aimed-05-password-grammar': [5, 0, 0, 0],
  'aimed-06-position': [0, 0, 0, 0],
  'aimed-07-names': [0, 0, 0, 0],
  'aimed-08-touching': [0, 0, 0, 0],
  'aimed-09-encodings': [0, 0, 0, 0],
  'aimed-10-new-vendors': [0, 0, 0, 0],
  'clean-code': [0, 0, 0, 0],
  'clean-config': [0, 0, 0, 0],
  'clean-docs': [0, 0, 0, 0],
  'clean-placeholders': [0, 0, 0, 0],
  'clean-prose': [0, 0, 0, 0],
  connections: [0, 0, 0, 0],
  'fresh-clean': [0, 0, 0, 0],
  'fresh-secrets': [0, 0, 0, 0],
  'headers-and-keys': [0, 0, 0, 0],
  named: [0, 0, 0, 0],
  prose: [1, 0, 0, 0],
  'third-clean': [0, 0, 0, 0],
  'third-secrets': [2, 0, 0, 0],
  urls: [0, 0, 0, 0],
  vendors: [0, 0, 0, 0],
};
