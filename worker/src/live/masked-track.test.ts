import { expect, test } from '@jest/globals';
import { createMasker, type Masker } from '../masking/mask.ts';
import { MaskedTrack } from './masked-track.ts';

/** A masker that counts how often it begins a text. */
function counted(): { readonly masker: Masker; begun(): number } {
  const masker = createMasker();
  let begun = 0;
  const createPieces = () => {
    begun++;
    return masker.createPieces();
  };
  return { masker: { ...masker, createPieces }, begun: () => begun };
}

test('a track of which nothing comes makes no masker, and ends without a text', () => {
  const { masker, begun } = counted();
  const track = new MaskedTrack(masker);
  expect(track.pause() + track.end()).toBe('');
  expect(Object.values(track.counts).every((count) => count === 0)).toBe(true);
  expect(begun()).toBe(0);
});

test('what was prepared masks the first piece and those after it', () => {
  const { masker, begun } = counted();
  const track = new MaskedTrack(masker);
  track.prepare();
  track.prepare();
  expect(begun()).toBe(1);
  const shown = track.push('Connect to 203.0.') + track.push('113.7 and go on.') + track.end();
  expect(shown).toBe(masker.mask('Connect to 203.0.113.7 and go on.').text);
  expect(shown).not.toContain('203.0.113.7');
  expect(begun()).toBe(1);
  expect(track.counts.ip).toBe(1);
});
