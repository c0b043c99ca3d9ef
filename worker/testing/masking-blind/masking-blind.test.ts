import { describe, expect, test } from '@jest/globals';
import { mask } from '@lontar/worker/masking.ts';
import { fillSlots } from './fill-slots.ts';
import { HELD_SCORE, HELD_SEED } from './held-score.ts';
import { type BlindCase, readBlindCases } from './read-cases.ts';
import { scoreTable } from './report.ts';
import { runCases, scoreByKind } from './score.ts';

const CASES = readBlindCases(new URL('cases/', import.meta.url));

describe('the masker on the blind set', () => {
  const scores = scoreByKind(runCases(CASES, (text) => mask(text).text, HELD_SEED));

  test('has a held score for each kind and for no other', () => {
    expect(Object.keys(HELD_SCORE)).toEqual(scores.map(({ kind }) => kind));
  });

  test.each(scores)('does not do worse on $kind', (score) => {
    const [leaked = 0, damaged = 0, changed = 0, unstable = 0] = HELD_SCORE[score.kind] ?? [];
    expect(score.leaked).toBeLessThanOrEqual(leaked);
    expect(score.secretTextsDamaged).toBeLessThanOrEqual(damaged);
    expect(score.cleanTextsChanged).toBeLessThanOrEqual(changed);
    expect(score.unstable).toBeLessThanOrEqual(unstable);
  });
});

describe('the blind set', () => {
  const filled = CASES.map((one) => ({ ...one, ...fillSlots(one.template, `${HELD_SEED}/${one.id}`) }));

  test('is as large as it has to be', () => {
    const count = (belongs: (one: (typeof filled)[number]) => boolean) => filled.filter(belongs).length;
    expect(count(({ kind }) => kind.startsWith('clean-'))).toBeGreaterThanOrEqual(200);
    expect(count(({ kind }) => !/^(?:clean|aimed)-/.test(kind))).toBeGreaterThanOrEqual(250);
    const aimed = Map.groupBy(
      filled.filter(({ kind }) => kind.startsWith('aimed-')),
      ({ kind }) => kind,
    );
    expect(aimed.size).toBe(10);
    for (const ofKind of aimed.values()) expect(ofKind.length).toBeGreaterThanOrEqual(30);
  });

  test('has no slot left unfilled, and keeps only what its texts hold beside their secrets', () => {
    for (const { id, kind, text, keep, secrets } of filled) {
      expect(`${id} ${text}`).not.toMatch(/[⟪⟫§]|\{(?:an|hex|pw|url|b64|num|enc|pem)\d*[}:]/);
      if (kind.startsWith('clean-')) expect(secrets).toEqual([]);
      for (const piece of keep) {
        expect(text).toContain(piece);
        for (const secret of secrets) expect(piece).not.toContain(secret);
      }
    }
  });

  test('names the page of each vendor', () => {
    expect(CASES.filter(({ kind, source }) => kind === 'vendors' && !source?.startsWith('https://'))).toEqual([]);
  });

  test('is the same for the same seed, and has other values for another', () => {
    const template = 'a ⟪!{an32}⟫ b ⟪{uuid}⟫';
    expect(fillSlots(template, '1/x')).toEqual(fillSlots(template, '1/x'));
    expect(fillSlots(template, '2/x').text).not.toBe(fillSlots(template, '1/x').text);
  });
});

describe('the score of a masker', () => {
  const one: BlindCase = {
    id: 'x-1',
    kind: 'x',
    template: 'first line\nkey=⟪!{an32}⟫; port=1\nlast line\n',
    keep: ['; port=1'],
    loose: false,
  };
  const secretOf = (text: string) => /key=(\w+)/.exec(text)?.[1] ?? '';
  const score = (masker: (text: string) => string, cases = [one]) => scoreByKind(runCases(cases, masker, '1'))[0];
  const good = (text: string) => text.replace(/key=\w+/, 'key=***');

  test('counts nothing against one that does as it should', () => {
    expect(score(good)).toMatchObject({ secrets: 1, leaked: 0, secretTexts: 1, secretTextsDamaged: 0, unstable: 0 });
  });

  test('counts a secret that is left, whole or in part', () => {
    expect(score((text) => text)).toMatchObject({ leaked: 1, secretTextsDamaged: 0 });
    expect(score((text) => text.replace(secretOf(text).slice(0, 20), '***'))).toMatchObject({ leaked: 1 });
  });

  test('counts a piece that must stay and a line without a secret', () => {
    expect(score((text) => good(text).replace('port', '***'))).toMatchObject({ secretTextsDamaged: 1 });
    expect(score((text) => good(text).replace('last', '***'))).toMatchObject({ secretTextsDamaged: 1 });
  });

  test('counts a clean text that changed, and one that changes again', () => {
    const clean = [{ ...one, template: 'no secret\n', keep: [] }];
    expect(score(() => 'x', clean)).toMatchObject({ cleanTexts: 1, cleanTextsChanged: 1, unstable: 0 });
    expect(score((text) => `${text}x`, clean)).toMatchObject({ unstable: 1 });
  });

  test('is printed with a row for each kind and for all', () => {
    const scores = scoreByKind(runCases([one, { ...one, id: 'y-1', kind: 'aimed-01-y' }], good, '1'));
    expect(
      scoreTable(scores)
        .split('\n')
        .map((line) => line.split(/ {2,}/)[0]),
    ).toEqual(['kind', 'x', 'all blind', 'aimed-01-y', 'all aimed']);
  });
});
