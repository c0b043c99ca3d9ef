import { describe, expect, test } from '@jest/globals';
import { seededRandom } from '@lontar/shared/testing/seeded-random.ts';
import { compileRules } from './compile-rules.ts';
import { createMasker } from './mask.ts';
import { MaskMachine } from './mask-machine.ts';
import { compilePolicy, LONGEST_VALUE } from './policy.ts';
import { draw } from './testing/drawn.ts';
import { familyText, MASKED_FAMILIES } from './testing/hostile-texts.ts';
import { Scratch } from './text-window.ts';
import { MaskingBudgetExceeded, MOST_DEBT, STEPS_PER_CHARACTER } from './work-budget.ts';

const HEX = '0123456789abcdef';
const token = `ghp_${draw(seededRandom(1), 36, HEX)}`;
const other = `ghp_${draw(seededRandom(2), 36, HEX)}`;
const known = `own-${draw(seededRandom(3), 24, HEX)}`;
const masker = createMasker({ knownValues: [known], maskHosts: ['gudang.example'] });

const rules = compileRules();
const scratch = new Scratch();

function valuesIn(text: string): readonly string[] {
  const steps = masker.valuesInSlices(text);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

describe('the types of a policy', () => {
  const text = `https://api.shop.example/v1 with ${token} from 10.1.2.3, postgres://app:kopi7susu@db.lan/shop`;

  test.each([
    ['url', 'https://***API_SERVER***/v1 with TOKEN from 10.1.2.3, postgres://app:kopi7susu@db.lan/shop'],
    ['key', 'https://api.shop.example/v1 with ***API_KEY*** from 10.1.2.3, postgres://app:kopi7susu@db.lan/shop'],
    ['ip', 'https://api.shop.example/v1 with TOKEN from ***IP_ADDRESS***, postgres://app:kopi7susu@db.lan/shop'],
    ['connection', 'https://api.shop.example/v1 with TOKEN from 10.1.2.3, ***DB_CONNECTION***'],
  ] as const)('%s alone', (type, expected) => {
    const { text: masked, spans } = masker.withPolicy({ types: [type] }).mask(text);
    expect(masked).toBe(expected.replace('TOKEN', token));
    expect(spans.map((span) => span.type)).toEqual([type]);
  });

  test('are all where none is named, and where all are', () => {
    const all = masker.mask(text);
    expect(masker.withPolicy({}).mask(text)).toEqual(all);
    expect(masker.withPolicy({ types: ['url', 'key', 'ip', 'connection'] }).mask(text)).toEqual(all);
  });

  test.each([
    ['a key in a URL that is shown', ['key'], `https://api.shop.example/v1?x=${token}`, token],
    ['an address in a URL that is shown', ['ip'], 'http://10.1.2.3:8080/v1', '10.1.2.3'],
    ['a login in a URL that is shown', ['key'], 'https://budi:kopi7susu@git.shop.example/x', 'kopi7susu'],
    ['a password beside an address that is shown', ['key'], 'mysql -h db.lan -u app -pkopi7susu', 'kopi7susu'],
  ] as const)('leave nothing of %s', (_what, types, shown, secret) => {
    expect(masker.mask(shown).text).not.toContain(secret);
    expect(masker.withPolicy({ types }).mask(shown).text).not.toContain(secret);
  });

  test.each(['url', 'key', 'ip', 'connection'] as const)(
    "leave nothing of the service's own secrets and hosts, with %s alone",
    (type) => {
      const own = masker.withPolicy({ types: [type], keep: new Set([known, 'db.gudang.example']) });
      const { text: masked } = own.mask(`It is ${known}, at https://db.gudang.example/v1.`);
      expect(masked).not.toContain(known);
      expect(masked).not.toContain('gudang.example');
    },
  );
});

test.each(['url', 'key', 'ip', 'connection'] as const)(
  'hostile texts cost no more work with %s alone: what would is refused',
  (type) => {
    const compiled = compilePolicy({ types: [type] });
    for (const family of MASKED_FAMILIES) {
      const machine = new MaskMachine(rules, scratch, false, compiled);
      try {
        machine.feed(familyText(family, 6_000), true);
      } catch (error) {
        expect(error).toBeInstanceOf(MaskingBudgetExceeded);
      }
      expect(machine.work).toBeLessThan(STEPS_PER_CHARACTER * 6_000 + 2 * MOST_DEBT);
    }
  },
);

describe('values that a policy keeps', () => {
  const keeping = (...keep: string[]) => masker.withPolicy({ keep: new Set(keep) });

  test('stay where exactly they are found, and are not reported', () => {
    const { text, spans } = keeping(token).mask(`token=${token} other=${other} ${token}`);
    expect(text).toBe(`token=${token} other=***API_KEY*** ${token}`);
    expect(spans.map(({ type }) => type)).toEqual(['key']);
    expect(text.slice(spans[0]?.start, spans[0]?.end)).toBe('***API_KEY***');
  });

  test('are masked with what goes on from them', () => {
    expect(keeping(token).mask(`${token}abc`).text).toBe('***API_KEY***');
    expect(keeping(token).mask(`${token.slice(0, -1)} x`).text).toBe('***API_KEY*** x');
  });

  test('are those that masking the text would replace', () => {
    const values = valuesIn(`https://api.shop.example/v1 and ${token}, ${token}; ${known} is the service's own`);
    expect(values).toEqual(['api.shop.example', token, token]);
    const back = 'Call https://api.shop.example/v1/chat with it.';
    expect(masker.mask(back).text).not.toBe(back);
    expect(keeping(...values).mask(back).text).toBe(back);
  });

  test('of a long text are found in slices', () => {
    const text = `${'word '.repeat(20_000)}${token}${' word'.repeat(20_000)}`;
    const steps = masker.valuesInSlices(text);
    expect(steps.next().done).toBe(false);
    expect(valuesIn(text)).toEqual([token]);
  });

  test('are no longer than LONGEST_VALUE', () => {
    const endless = `sk-proj-${draw(seededRandom(4), LONGEST_VALUE, HEX)}`;
    expect(valuesIn(`key ${endless}`)).toEqual([]);
    expect(keeping(endless).mask(`key ${endless}`).text).toBe('key ***API_KEY***');
  });

  test('wait in a stream for their end, and no longer', async () => {
    const stream = keeping(token).createStream();
    const writer = stream.writable.getWriter();
    const reader = stream.readable.getReader();
    let seen = '';
    const readUntil = async (expected: string) => {
      while (!seen.includes(expected)) seen += (await reader.read()).value ?? '';
    };
    void writer.write(`It is ${token.slice(0, 20)}`);
    await readUntil('It ');
    void writer.write(`${token.slice(20)} here and ${other.slice(0, 20)}`);
    await readUntil(token);
    void writer.write(`${other.slice(20)} there`);
    await readUntil('***API_KEY***');
    expect('It is '.startsWith(seen.slice(0, 6))).toBe(true);
    expect(seen).not.toContain(other.slice(0, 10));
    await reader.cancel();
  });
});
