import { describe, expect, test } from '@jest/globals';
import { anyCharacter } from '@lontar/shared/testing/any-character.ts';
import * as fc from 'fast-check';
import { createMasker, mask } from './mask.ts';

/** Pieces of everything the rules look at, so that arbitrary texts come near to the rules' edges. */
const PIECES =
  `https:// http:\\/\\/ %3A%2F%2F wss:// postgres:// redis:// jdbc:mysql:// api. .internal .com:443 :8080 /v1/ localhost example.com user pass @ : / ? # & = ; , .
 .. ... - -- _ * ** *** \` \`\`\` " ' \\" \\n ( ) [ ] { } < > | || $ \${ \${X} <x> %20 10.1.2.3 1.2.3.4.5 255. 0. 1[.]2[.]3[.]4 2001:db8::1 ::1 :: fe80:: ab:cd /24 v version
 password secret token key apiKey API_KEY= api_key: auth Bearer Basic Authorization: adalah is the kata sandi kunci rahasia value curl mysql -p -u --password Server= Password=
 Database= host= dbname= Endpoint= AccountKey= @tcp( sk-proj- ghp_ AKIA xoxb-1 eyJ glpat- sk_live_ -----BEGIN PRIVATE KEY----- -----END PRIVATE KEY----- A1b2C3d4E5f6G7h8
 a1b2c3d4e5f6a7b8c9d0e1f2a3b4c5d6 hunter2x Kopi2024 postgres xxxx YOUR_KEY ***API_KEY*** ***API_SERVER*** ***IP_ADDRESS*** ***DB_CONNECTION*** datadog use store as 1:AA hooks /services/
 é 漢 🌐 \ud800 \udc00 \u200b`.split(/\s+/);

const piece = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...PIECES) },
  { weight: 2, arbitrary: fc.constantFrom(' ', '\n', '\n\n', '\n| ', ' | ', '\n|---|---|\n', ': ', ' = ', '\t') },
  { weight: 1, arbitrary: fc.string({ unit: anyCharacter, maxLength: 12 }) },
  { weight: 1, arbitrary: fc.stringMatching(/^[A-Za-z0-9+/_-]{1,40}$/) },
);
const text = fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join(''));

const KNOWN = ['Zk7-Qp/3x+Lm9w', 'gudang.kopi-susu.example', '198.51.100.77', 'redis://:kopi@10.9.8.7:6379'];
const masker = createMasker({ knownValues: KNOWN });
const withKnown = fc
  .array(fc.oneof({ weight: 5, arbitrary: piece }, { weight: 1, arbitrary: fc.constantFrom(...KNOWN) }), {
    maxLength: 30,
  })
  .map((pieces) => pieces.join(''));

function fed(input: string, cuts: readonly number[], by = masker) {
  const pieces = by.createPieces();
  let output = '';
  let from = 0;
  for (const cut of cuts) {
    output += pieces.push(input.slice(from, cut));
    from = cut;
  }
  output += pieces.push(input.slice(from)) + pieces.end();
  return { text: output, counts: pieces.counts };
}

function masked(input: string, by = masker) {
  const { text: output, spans } = by.mask(input);
  const counts = { url: 0, key: 0, ip: 0, connection: 0 };
  for (const { type } of spans) counts[type]++;
  return { text: output, counts };
}

const cutsOf = fc
  .tuple(fc.array(fc.nat(), { maxLength: 12 }), fc.boolean())
  .map(([points, everyUnit]) => (input: string) => {
    if (everyUnit) return Array.from({ length: input.length }, (_, index) => index + 1);
    return points.map((point) => point % (input.length + 1)).sort((a, b) => a - b);
  });

function valuesIn(input: string): readonly string[] {
  const steps = masker.valuesInSlices(input);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

const TYPES = ['url', 'key', 'ip', 'connection'] as const;
const types = fc.subarray([...TYPES], { minLength: 1 });

const runs = { numRuns: Number(process.env.PROPERTY_RUNS ?? 1500) };

describe('properties of masking', () => {
  test('pieces give what the whole text gives, and count as much, whatever they are', () => {
    fc.assert(
      fc.property(withKnown, cutsOf, (input, cuts) => {
        expect(fed(input, cuts(input))).toEqual(masked(input));
      }),
      runs,
    );
  });

  test('pieces give what the whole text gives, whatever is masked and kept', () => {
    fc.assert(
      fc.property(withKnown, withKnown, cutsOf, types, fc.nat(), (input, sent, cuts, wanted, pick) => {
        const values = [...valuesIn(input), ...valuesIn(sent)].filter((_, index) => (pick >> (index % 16)) % 2 === 0);
        const own = masker.withPolicy({ types: wanted, keep: new Set(values) });
        const whole = masked(sent + input, own);
        expect(fed(sent + input, cuts(sent + input), own)).toEqual(whole);
        for (const value of KNOWN) expect(whole.text.includes(value)).toBe(false);
      }),
      runs,
    );
  });

  test('a text of which every value is kept stays as it is', () => {
    fc.assert(
      fc.property(text, (input) => {
        const keeping = masker.withPolicy({ keep: new Set(valuesIn(input)) });
        expect(keeping.mask(input)).toEqual({ text: input, spans: [] });
      }),
      runs,
    );
  });

  test('masking what is masked changes nothing', () => {
    fc.assert(
      fc.property(text, (input) => {
        const once = mask(input).text;
        expect(mask(once).text).toBe(once);
      }),
      runs,
    );
  });

  test('no configured value is left, in any encoding', () => {
    fc.assert(
      fc.property(withKnown, fc.constantFrom(...KNOWN), withKnown, (before, known, after) => {
        const encodings = [known, encodeURIComponent(known), JSON.stringify(known).slice(1, -1)];
        for (const encoded of encodings) {
          const { text: output } = masker.mask(before + encoded + after);
          for (const value of KNOWN) expect(output.includes(value)).toBe(false);
        }
        const base64 = Buffer.from(`${before.toWellFormed()}${known}${after.toWellFormed()}`, 'utf8').toString(
          'base64',
        );
        const decoded = Buffer.from(masker.mask(base64).text, 'base64').toString('utf8');
        expect(decoded.includes(known)).toBe(false);
      }),
      runs,
    );
  });

  test('spans lie where the markers are', () => {
    fc.assert(
      fc.property(text, (input) => {
        const { text: output, spans } = mask(input);
        for (const { start, end } of spans)
          expect(output.slice(start, end)).toMatch(/^\*\*\*(?:API_SERVER|API_KEY|IP_ADDRESS|DB_CONNECTION)\*\*\*$/);
      }),
      runs,
    );
  });

  test('any UTF-16 at all is masked without an exception', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(0xffff), { maxLength: 200 }), (codes) => {
        const input = String.fromCharCode(...codes);
        expect(typeof mask(input).text).toBe('string');
      }),
      runs,
    );
  });
});
