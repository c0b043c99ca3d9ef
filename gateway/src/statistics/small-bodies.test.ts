import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import { expect, test } from '@jest/globals';
import { createSmallBodies } from './small-bodies.ts';

function requestOf(headers: Record<string, string>, method = 'POST'): PassThrough & IncomingMessage {
  return Object.assign(new PassThrough(), { method, headers }) as unknown as PassThrough & IncomingMessage;
}
const begun = () => {
  const request = requestOf({ 'content-length': '10' });
  request.write('{');
  return request;
};

test('reads a body to its end, whatever its pieces', async () => {
  const request = requestOf({ 'transfer-encoding': 'chunked' });
  const body = createSmallBodies().read(request, 'a');
  for (const piece of ['{', '"token"', ':1}']) request.write(piece);
  request.end();
  expect(await body).toEqual({ kind: 'whole', bytes: Buffer.from('{"token":1}') });
});

test('does not wait for the body of a GET, which has been thrown away by then', async () => {
  const body = await createSmallBodies().read(requestOf({ 'content-length': '5' }, 'GET'), 'a');
  expect(body).toEqual({ kind: 'whole', bytes: Buffer.alloc(0) });
});

test.each([{}, { 'content-length': '0' }])('does not wait where there is no body: %j', async (headers) => {
  const body = await createSmallBodies().read(requestOf(headers), 'a');
  expect(body).toEqual({ kind: 'whole', bytes: Buffer.alloc(0) });
});

test('refuses what is too long by its length, before a byte, and by its bytes', async () => {
  const bodies = createSmallBodies();
  expect(await bodies.read(requestOf({ 'content-length': '4097' }), 'a')).toEqual({ kind: 'too_large' });
  const chunked = requestOf({ 'transfer-encoding': 'chunked' });
  const body = bodies.read(chunked, 'a');
  chunked.write('x'.repeat(4_000));
  chunked.write('x'.repeat(97));
  expect(await body).toEqual({ kind: 'too_large' });
  const longest = requestOf({ 'content-length': '4096' });
  longest.end('x'.repeat(4_096));
  expect((await bodies.read(longest, 'a')).kind).toBe('whole');
});

test('gives up after its time, and when the sender leaves', async () => {
  const bodies = createSmallBodies({ bodyMs: 5 });
  expect(await bodies.read(begun(), 'a')).toEqual({ kind: 'too_slow' });
  const left = begun();
  const body = createSmallBodies().read(left, 'a');
  left.destroy();
  expect(await body).toEqual({ kind: 'gone' });
});

test('where too many are read of an address, the one that took the longest gives way', async () => {
  const bodies = createSmallBodies();
  const others = Array.from({ length: 10 }, () => begun()).map((request) => ({
    request,
    body: bodies.read(request, 'b'),
  }));
  const slow = Array.from({ length: 16 }, () => begun()).map((request) => ({
    request,
    body: bodies.read(request, 'a'),
  }));
  const honest = requestOf({ 'content-length': '2' });
  const body = bodies.read(honest, 'a');
  expect(await slow[0]?.body).toEqual({ kind: 'too_slow' });
  honest.end('{}');
  expect(await body).toEqual({ kind: 'whole', bytes: Buffer.from('{}') });
  for (const { request } of [...slow.slice(1), ...others]) request.end('}');
  for (const { body: rest } of [...slow.slice(1), ...others]) expect((await rest).kind).toBe('whole');
});

test('and so it is where too many are read in all', async () => {
  const bodies = createSmallBodies();
  const slow = Array.from({ length: 256 }, (_, index) => bodies.read(begun(), `address-${index}`));
  const honest = requestOf({ 'content-length': '2' });
  const body = bodies.read(honest, 'honest');
  honest.end('{}');
  expect((await body).kind).toBe('whole');
  expect(await slow[0]).toEqual({ kind: 'too_slow' });
  expect(await Promise.race([slow[1], Promise.resolve('still read')])).toBe('still read');
});
