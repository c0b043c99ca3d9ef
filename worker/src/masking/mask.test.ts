import { describe, expect, test } from '@jest/globals';
import { createMaskStream, mask } from './mask.ts';

async function throughStream(chunks: readonly string[]): Promise<string> {
  const stream = createMaskStream();
  const writer = stream.writable.getWriter();
  const write = async () => {
    for (const chunk of chunks) await writer.write(chunk);
    await writer.close();
  };
  const writing = write();
  let output = '';
  for await (const piece of stream.readable) output += piece;
  await writing;
  return output;
}

describe('mask', () => {
  test('masks the authority of an endpoint and keeps scheme, path and query', () => {
    expect(mask('GET https://api.example.com/v1/users?page=2.').text).toBe(
      'GET https://***API_SERVER***/v1/users?page=2.',
    );
  });

  test('reports spans in positions of the masked text', () => {
    const { text, spans } = mask('from 10.1.2.3 to 10.1.2.4');
    expect(text).toBe('from ***IP_ADDRESS*** to ***IP_ADDRESS***');
    expect(spans.map(({ start, end }) => text.slice(start, end))).toEqual(['***IP_ADDRESS***', '***IP_ADDRESS***']);
  });

  test('masks a connection string whole', () => {
    expect(mask('use `postgres://app:pa@ss@db.lan:5432/shop`.').text).toBe('use `***DB_CONNECTION***`.');
  });

  test('a stream gives what the whole text gives', async () => {
    const text = 'Connect to 10.0.0.1 or https://api.example.com/v1, then postgres://a:b@c/d. ';
    expect(await throughStream(Array.from({ length: text.length }, (_, index) => text.charAt(index)))).toBe(
      mask(text).text,
    );
  });
});
