import { beforeAll, describe, expect, test } from '@jest/globals';
import { ask, type Reply } from '../harness/client.ts';
import type { GetService } from './service.ts';

interface Upload {
  readonly id: string;
  readonly url: string;
  readonly size: number;
}

/** Uploads, and who gets them. */
export function testUploads(service: GetService): void {
  let key: string;
  beforeAll(async () => {
    ({ key } = await service().createKey());
  }, 60_000);

  const resultOf = (reply: Reply): Upload => {
    expect(reply).toMatchObject({ status: 201, body: { status: true, code: 201, message: 'Sukses' } });
    return reply.body['result'] as Upload;
  };
  const upload = async (content: string, visibility?: string) => {
    const body = new FormData();
    body.append('file', new Blob([content]), 'a <b>.bin');
    if (visibility !== undefined) body.append('visibility', visibility);
    return ask(service().url, '/api/upload', { method: 'POST', body, headers: { 'x-api-key': key } });
  };
  const file = (id: string, method = 'GET', apikey?: string) =>
    ask(service().url, `/files/${id}`, { method, ...(apikey && { headers: { 'x-api-key': apikey } }) });

  describe('an upload', () => {
    test('is kept, counted, served as a download to all, and gone when its owner removes it', async () => {
      const limit = async () => (await ask(service().url, '/api/check-limit')).body as { used: number };
      const before = await limit();
      const { id, size } = resultOf(await upload('hello'));
      expect(size).toBe(5);
      expect((await limit()).used).toBe(before.used + 1);
      const served = await file(id);
      expect(served).toMatchObject({ status: 200, text: 'hello' });
      expect(served.headers).toMatchObject({
        'content-disposition': expect.stringMatching(/^attachment/),
        'content-security-policy': "default-src 'none'; sandbox",
        'x-content-type-options': 'nosniff',
      });
      expect((await file(id, 'DELETE', (await service().createKey()).key)).status).toBe(404);
      expect((await file(id, 'DELETE', key)).status).toBe(200);
      expect((await file(id)).status).toBe(404);
    });

    test('that is private does not exist for others', async () => {
      const { id } = resultOf(await upload('mine', 'private'));
      expect((await file(id)).status).toBe(404);
      expect((await file(id, 'GET', (await service().createKey()).key)).status).toBe(404);
      expect(await file(id, 'GET', key)).toMatchObject({ status: 200, text: 'mine' });
    });

    test('of code is served as plain text', async () => {
      const body = { code: '<script>alert(1)</script>', language: 'html' };
      const reply = await ask(service().url, '/api/code', { method: 'POST', body, headers: { 'x-api-key': key } });
      const served = await file(resultOf(reply).id);
      expect(served.text).toBe(body.code);
      expect(served.headers['content-type']).toMatch(/^text\/plain/);
    });

    test('of one byte more than 10 MB gets 413, and the whole 10 MB are kept', async () => {
      expect((await upload('x'.repeat(10_485_761))).status).toBe(413);
      const { id, size } = resultOf(await upload('x'.repeat(10_485_760)));
      expect(size).toBe(10_485_760);
      expect((await file(id)).text).toHaveLength(size);
    });
  });
}
