import { describe, expect, test } from '@jest/globals';
import { createRegistry, workerMetrics } from '@lontar/shared/metrics.ts';
import { maskAnswer, previewPrompt } from './mask-answer.ts';
import { createMasker, type Masker } from './masking/mask.ts';
import { MaskingBudgetExceeded } from './masking/work-budget.ts';

const SECRET = ['gho', 'A1b2C3d4E5'.repeat(4)].join('_');
const masker = createMasker();

function workshop(changes: Partial<Masker> = {}) {
  const registry = createRegistry('worker', '1.2.3');
  const metrics = workerMetrics(registry);
  const used = { ...masker, ...changes };
  return { mask: (text: string) => maskAnswer(used, metrics, { text }), said: () => registry.metrics() };
}

const counted = (result: string, count: number) =>
  `masking_operations_total{result="${result}",service="worker"} ${count}`;

describe('an answer is masked', () => {
  test('and what was masked is counted', async () => {
    const { mask, said } = workshop();
    const masked = await mask(`${SECRET} at 10.1.2.3`);
    expect(masked).toMatchObject({
      answer: { text: '***API_KEY*** at ***IP_ADDRESS***', counts: { key: 1, ip: 1, url: 0 } },
    });
    await mask('nothing');
    expect(await said()).toContain(counted('secured', 1));
    expect(await said()).toContain(counted('normal', 1));
  });

  /** How often others have their turn while an answer is masked. */
  async function turnsWhile(masking: Promise<unknown>): Promise<number> {
    let turns = 0;
    let isMasking = true;
    const others = (async () => {
      for (; isMasking; turns++) await new Promise((resolve) => setImmediate(resolve));
    })();
    await masking;
    isMasking = false;
    await others;
    return turns;
  }

  const masksInSteps = (steps: number, msOfEach: number) =>
    workshop({
      *maskInSlices(text) {
        for (let step = 0; step < steps; step++) {
          const endsAt = performance.now() + msOfEach;
          while (performance.now() < endsAt);
          yield;
        }
        return { text, spans: [] };
      },
    }).mask('text');

  test('while others have their turn: one that takes long does not hold the worker', async () => {
    expect(await turnsWhile(masksInSteps(20, 2))).toBeGreaterThanOrEqual(20);
  });

  test('in one turn where it takes none: it does not wait, in memory, for others', async () => {
    expect(await turnsWhile(masksInSteps(20, 0))).toBeLessThan(10);
  });

  test('in slices: of a long one each secret is counted', async () => {
    const { mask } = workshop();
    const masked = await mask(`Read on, ${SECRET}. `.repeat(60_000));
    expect(masked).toMatchObject({ kind: 'masked', answer: { counts: { key: 60_000 } } });
  });

  test.each([
    ['is refused where it would take too much work', new MaskingBudgetExceeded(), 'MaskingBudgetExceeded', 'refused'],
    ['is thrown away where masking fails', new RangeError(SECRET), 'RangeError', 'failed'],
  ])('and %s, and distinguished from other ends', async (_name, error, reason, result) => {
    const { mask, said } = workshop({
      *maskInSlices() {
        yield;
        throw error;
      },
    });
    const masked = await mask(SECRET);
    expect(masked).toEqual({ kind: 'failed', reason, durationMs: expect.any(Number) });
    expect(JSON.stringify(masked)).not.toContain(SECRET);
    expect(await said()).toContain(counted(result, 1));
    expect(await said()).toContain(counted('secured', 0));
  });
});

describe('the preview of a prompt', () => {
  test('is the whole masked prompt where that is short', () => {
    expect(previewPrompt(masker, `use ${SECRET}`)).toBe('use ***API_KEY***');
  });

  test('ends with an ellipsis after 4,000 characters, and where a secret goes on for longer than is read', () => {
    expect(previewPrompt(masker, 'word '.repeat(200_000))).toBe(`${'word '.repeat(800)}…`);
    expect(previewPrompt(masker, `api_key=${'aB3'.repeat(300_000)}`)).toBe('api_key=***API_KEY***…');
  });

  test('is not there where the prompt cannot be masked', () => {
    const broken: Masker = {
      ...masker,
      maskBeginning: () => {
        throw new MaskingBudgetExceeded();
      },
    };
    expect(previewPrompt(broken, SECRET)).toBeUndefined();
  });
});
