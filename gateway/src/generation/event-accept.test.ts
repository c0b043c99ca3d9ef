import { expect, test } from '@jest/globals';
import { wantsEvents } from './event-accept.ts';

test.each([
  ['text/event-stream', true],
  ['Text/Event-Stream; charset=utf-8', true],
  ['application/json, text/event-stream', true],
  ['application/json;q=0.9,text/event-stream;q=0.1', true],
  ['*/*, text/event-stream;q=1', true],
  ['text/event-stream;q=0', false],
  ['text/event-stream; q=0.000, application/json', false],
  ['text/event-stream;q=0.001', true],
  ['*/*', false],
  ['text/*', false],
  ['application/json', false],
  ['', false],
  [undefined, false],
])('%j asks for events: %s', (accept, expected) => {
  expect(wantsEvents(accept)).toBe(expected);
});
