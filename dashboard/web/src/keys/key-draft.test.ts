import { expect, test } from '@jest/globals';
import type { KeyView } from '@lontar/shared/keys/key-view.ts';
import { changedFields, draftOf, EMPTY_DRAFT, rebaseDraft, termsOf } from './key-draft.ts';

const KEY = {
  ...{ id: 'A1b2C3d4E5', name: 'shop', owner: 'anna', note: null, perHour: 100, perDay: null, credits: 500 },
  ...{ concurrency: 10, maxOutputTokens: null, storage: 1_073_741_824, models: ['ai-2.5-pro'], addresses: null },
  ...{ expiresAt: '2099-01-31T18:00:00.000Z', mask: ['url', 'key', 'ip', 'connection'], keepOwn: false },
  ...{ addressLimit: true, onDisconnect: 'abort' },
} as unknown as KeyView;

test('a form that was not touched changes nothing', () => {
  const draft = draftOf(KEY);
  expect(changedFields(draft, draftOf(KEY))).toEqual([]);
  expect(termsOf(EMPTY_DRAFT, EMPTY_DRAFT)).toEqual({});
  expect([draft.concurrency, draft.storage]).toEqual(['', '1024']);
});

test('what is typed goes as the API takes it, and an emptied field takes its limit away', () => {
  const base = draftOf(KEY);
  const draft = {
    ...{ ...base, name: ' shop 2 ', owner: ' ', credits: '1 000', perHour: 'many', concurrency: '4', storage: '0,5' },
    ...{ models: 'a, b;c  d', addresses: '10.0.0.0/8\n2001:db8::/48', keepOwn: true, expiresAt: '' },
    ...{ mask: ['url', 'key'] as const, onDisconnect: 'finish' as const },
  };
  expect(termsOf(draft, base)).toEqual({
    ...{ name: 'shop 2', owner: null, credits: 1_000, perHour: 'many', concurrency: 4, storage: 524_288 },
    ...{ models: ['a', 'b', 'c', 'd'], addresses: ['10.0.0.0/8', '2001:db8::/48'], keepOwn: true, expiresAt: null },
    ...{ mask: ['url', 'key'], onDisconnect: 'finish' },
  });
  expect(termsOf({ ...base, mask: ['url'] }, base)).toEqual({ mask: ['url'] });
  expect(termsOf(base, { ...base, mask: ['url'] })).toEqual({ mask: 'all' });
});

test('a moment is that of the reader, and comes back as it was', () => {
  const draft = { ...EMPTY_DRAFT, name: 'a', expiresAt: draftOf(KEY).expiresAt };
  expect(termsOf(draft, EMPTY_DRAFT)).toEqual({ name: 'a', expiresAt: '2099-01-31T18:00:00.000Z' });
});

test('what was typed stays on top of what others have changed', () => {
  const base = draftOf(KEY);
  const fresh = { ...base, note: 'theirs', credits: '900' };
  const typed = { ...base, credits: '600', owner: 'mine' };
  const merged = rebaseDraft(typed, base, fresh);
  expect([merged.note, merged.credits, merged.owner]).toEqual(['theirs', '600', 'mine']);
  expect(termsOf(merged, fresh)).toEqual({ credits: 600, owner: 'mine' });
});
