import { describe, expect, test } from '@jest/globals';
import { unitsOfOneAnchor } from './testing/hostile-families.ts';
import { mixedTexts } from './testing/hostile-mixes.ts';
import { familyText, hostileTexts, MASKED_FAMILIES } from './testing/hostile-texts.ts';
import { maskOnce, tryHostileText } from './testing/try-hostile-text.ts';
import { MOST_DEBT } from './work-budget.ts';

/** As many as fit into half a minute on a busy machine; `npm run fuzz` tries for as long as `--minutes` says. */
const CASES = Number(process.env.HOSTILE_CASES ?? 800);
const SEED = Number(process.env.HOSTILE_SEED ?? 14);
/** Steps per character that no family of MASKED_FAMILIES may take: half of what is refused. */
const MOST_STEPS = 200;

describe('texts made to be slow', () => {
  test(`${CASES} of them are masked or refused in time, as a whole as in pieces`, () => {
    const texts = hostileTexts(SEED);
    const faults: string[] = [];
    for (let tried = 0; tried < CASES; tried++) {
      const { fault } = tryHostileText(texts.next().value);
      if (fault !== undefined) faults.push(fault);
    }
    expect(faults).toEqual([]);
  });

  test.each(MASKED_FAMILIES.map((family) => [JSON.stringify(family[1]), family] as const))(
    '%s again and again is masked, in linear work',
    (_name, family) => {
      for (const length of [2_000, 60_000, 120_000]) {
        const { refused, work } = maskOnce(familyText(family, length));
        expect({ length, refused }).toEqual({ length, refused: false });
        expect(work).toBeLessThan(MOST_STEPS * length + MOST_DEBT);
      }
    },
  );

  test('the text that held a worker for ever is masked at once', () => {
    for (const repeats of [48, 97, 20_000]) {
      const { text, refused, work } = maskOnce(`password: ${'a-'.repeat(repeats)}Z9`);
      expect(refused).toBe(false);
      expect(work).toBeLessThan(200_000);
      expect(text.startsWith('password: ')).toBe(true);
    }
  });
});

describe('anchors of each rule between random fillings, where nothing repeats itself', () => {
  /** Steps per character of what several anchors look at together: it is read once, not for each of them. */
  const MOST_SHARED = 50;
  const SHARED = /^(?:oracle-descriptor|command-secret|client-host|paddle-key|age-secret-key), /;

  test('are masked in linear work', () => {
    const slow: string[] = [];
    let at = 0;
    for (const { name, text } of mixedTexts(SEED, 4_000)) {
      if (SHARED.test(name) && maskOnce(text).work > MOST_SHARED * text.length) slow.push(name);
      // Of the six ways of each rule two; `npm run masking-families -- --mixed` times all.
      if (at++ % 3 !== 0) continue;
      const { refused, work } = maskOnce(text);
      if (refused || work > MOST_STEPS * text.length + MOST_DEBT)
        slow.push(`${name}: ${Math.round(work / text.length)}`);
    }
    expect(slow).toEqual([]);
  });
});

describe('short units with anchors, again and again', () => {
  /** One unit of so many is tried here; `npm run masking-families` tries all. */
  const EVERY = 2_003;
  /** Steps per character: at 5 ns each, still 10 MB/s. */
  const MOST = 20;

  test('are compared rather than read', () => {
    const slow: string[] = [];
    let at = 0;
    for (const unit of unitsOfOneAnchor()) {
      if (at++ % EVERY !== 0) continue;
      const { refused, work } = maskOnce(familyText(['', unit, ''], 60_000));
      if (refused || work > MOST * 60_000) slow.push(`${JSON.stringify(unit)}: ${Math.round(work / 60_000)}`);
    }
    expect(slow).toEqual([]);
  });

  test.each([
    'host=a host=b ',
    'https://api. x ',
    'DB_PASSWORD=x ',
    'stripe ',
    '/services/',
    'key={',
    '(description=(',
    '%22%3A%22',
    'RFC 1 1.2.3.4 ',
    'auth("',
    "PASSWORD '",
    'my-a-1 password=my-',
    // Names inside the cells of a table with a column of secrets.
    '| password |\n|---|\nMOTDEPASSE',
    "| password |\n|---|\n MOTDEPASSE='",
    '| password |\n|---|\nPRESHARED-KEY',
    '| a | password |\n|---|---|\n| token | key=x |\n',
  ])('%j is one of them', (unit) => {
    const { refused, work } = maskOnce(familyText(['', unit, ''], 60_000));
    expect(refused).toBe(false);
    expect(work).toBeLessThan(MOST * 60_000);
  });
});
