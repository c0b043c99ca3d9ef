import { afterEach, expect, jest, test } from '@jest/globals';
import { signedIn, signedOut } from '../live/live-state.ts';
import { kindOf } from './answer.ts';
import { ask } from './ask.ts';

const fetched = jest.spyOn(globalThis, 'fetch');
afterEach(() => {
  fetched.mockReset();
  signedOut.value = false;
});

const says = (status: number, body: object, headers = {}) =>
  fetched.mockResolvedValue(new Response(JSON.stringify(body), { status, headers }));

test('a change carries what it was decided on, and an answer its ETag', async () => {
  says(200, { status: true, result: { id: 'a' } }, { etag: '"3"' });
  const answer = await ask('PATCH', '/keys/a', { body: { note: null }, ifMatch: '"2"', idempotencyKey: 'once' });
  expect(answer).toEqual({ ok: true, body: { id: 'a' }, etag: '"3"' });
  const [url, init] = fetched.mock.calls[0] ?? [];
  expect([url, init?.method, init?.body]).toEqual(['/admin/v1/keys/a', 'PATCH', '{"note":null}']);
  expect(init?.headers).toEqual({
    'content-type': 'application/json',
    'if-match': '"2"',
    'idempotency-key': 'once',
  });
});

test('a refusal keeps what the server says of it', async () => {
  const problems = [{ field: 'perHour', rule: 'must be a whole number' }];
  says(400, { status: false, message: 'perHour must be a whole number', problems });
  expect(await ask('POST', '/keys')).toEqual({
    ok: false,
    kind: 'invalid',
    status: 400,
    message: 'perHour must be a whole number',
    problems,
  });
  says(412, { message: 'Changed since: note.', changed: ['note'] });
  expect(await ask('PATCH', '/keys/a')).toMatchObject({ kind: 'changed', changed: ['note'] });
});

test('a session that has ended signs the page out', async () => {
  signedIn.value = true;
  says(401, { message: 'Send Authorization' });
  expect(await ask('GET', '/keys')).toMatchObject({ kind: 'signedOut' });
  expect([signedIn.value, signedOut.value]).toEqual([false, true]);
});

test('no answer, and one that is none of ours, reject nothing', async () => {
  fetched.mockRejectedValue(new TypeError('Failed to fetch'));
  expect(await ask('GET', '/keys')).toEqual({ ok: false, kind: 'unreachable', status: 0, message: '' });
  fetched.mockResolvedValue(new Response('<h1>502</h1>', { status: 502 }));
  expect(await ask('GET', '/keys')).toEqual({ ok: false, kind: 'broken', status: 502, message: '' });
});

test('what only reads is asked for once more where the connection broke, a change is not', async () => {
  const breaks = () => fetched.mockRejectedValueOnce(new TypeError('network error'));
  says(200, { status: true, result: { id: 'a' } });
  breaks();
  expect(await ask('GET', '/keys/a')).toMatchObject({ ok: true, body: { id: 'a' } });
  breaks();
  expect(await ask('PATCH', '/keys/a', { body: {} })).toMatchObject({ ok: false, kind: 'unreachable' });
  expect(fetched).toHaveBeenCalledTimes(3);
});

test('who gives up hears of it', async () => {
  const leaving = new AbortController();
  leaving.abort();
  await expect(ask('GET', '/keys', { signal: leaving.signal })).rejects.toThrow('aborted');
});

test.each([
  ['/admin/v1/keys?limit=50', 404, 'off'],
  ['/admin/v1/usage', 404, 'off'],
  ['/admin/v1/keys/A1b2C3d4E5', 404, 'notFound'],
  ['/dashboard/log', 404, 'notFound'],
  ['/admin/v1/keys', 429, 'limited'],
  ['/dashboard/log?q=a', 403, 'forbidden'],
  ['/admin/v1/keys', 503, 'broken'],
] as const)('%s with %i is %s', (url, status, kind) => {
  expect(kindOf(url, status)).toBe(kind);
});
