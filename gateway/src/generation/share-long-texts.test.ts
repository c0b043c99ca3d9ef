import { expect, test } from '@jest/globals';
import { rawJson, writeJson } from '@lontar/shared/json-bytes.ts';
import { shareLongTexts } from './share-long-texts.ts';

const LONG = 'é "word" '.repeat(2_000);

const textOf = (body: unknown) => [writeJson(body)].flat().map(String).join('');
const bytesIn = (body: unknown) => [writeJson(body)].flat().filter((piece) => typeof piece !== 'string');

test('bodies of the same answer share its long texts, wherever they stand, and say the same as before', () => {
  const found = {};
  const bodyFor = (id: string) => ({
    id,
    choices: [{ message: { content: rawJson(JSON.stringify(`${LONG}!`)), reasoning: LONG, refusal: null, n: 1 } }],
  });
  const [one, other] = ['one', 'other'].map((id) => shareLongTexts(bodyFor(id), found));
  expect(textOf(one)).toBe(JSON.stringify(bodyFor('one')));
  expect(textOf(other)).toBe(JSON.stringify(bodyFor('other')));
  const [ofOne, ofOther] = [bytesIn(one), bytesIn(other)];
  expect(ofOne).toHaveLength(2);
  expect(ofOne.every((bytes, index) => bytes === ofOther[index])).toBe(true);
});

test('bodies of other answers share nothing, though they read alike', () => {
  const [one] = bytesIn(shareLongTexts({ text: LONG }, {}));
  const [other] = bytesIn(shareLongTexts({ text: LONG }, {}));
  expect(one).toEqual(other);
  expect(one).not.toBe(other);
});

test('a body without a long text stays as it is', () => {
  const body = { text: 'short', list: [1, { raw: rawJson('"short"') }], none: null };
  expect(shareLongTexts(body, {})).toBe(body);
});

test('a text that reads like the JSON of another one is not taken for it', () => {
  const literal = JSON.stringify(LONG);
  const body = { content: rawJson(literal), reasoning: literal };
  expect(textOf(shareLongTexts(body, {}))).toBe(JSON.stringify(body));
});
