import { expect, test } from '@jest/globals';
import { seededRandom } from '@lontar/shared/testing/seeded-random.ts';
import { AnchorIndex } from '../anchor-index.ts';
import { anchorsOf } from '../compile-rules.ts';
import { MaskMachine } from '../mask-machine.ts';
import { draw } from '../testing/drawn.ts';
import { Scratch } from '../text-window.ts';
import { tokens } from './token-shape.ts';

const random = seededRandom(3);

test.each(['.', '-', '_', ':', '~', '=', '%', '+', '/', '$'])(
  'a %s between the drawn parts of a shape belongs to the token',
  (joiner) => {
    const rules = tokens('https://vendor.example/docs', { 'vendor-token': `vnd_{an12}${joiner}{an24}` });
    const judgeHost = () => 'open' as const;
    const machine = new MaskMachine(
      { index: new AnchorIndex(anchorsOf(rules)), judgeHost, findOpening: () => 0 },
      new Scratch(),
      true,
    );
    const [example] = rules[0]?.masks ?? [];
    const token = typeof example === 'function' ? example((length, alphabet) => draw(random, length, alphabet)) : '';
    expect(machine.feed(`it was ${token} there`, true)).toBe('it was ***API_KEY*** there');
  },
);
