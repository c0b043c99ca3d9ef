import { describe, expect, test } from '@jest/globals';
import { createMasker, createMaskStream, mask } from './mask.ts';

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

  test('hosts to mask are masked wherever they are named, subdomains and ports included', () => {
    const { mask: masked } = createMasker({ maskHosts: ['*.gudang.example'] });
    const text = 'gudang.example, a.b.gudang.example:8080/x and https://gudang.example/y; not mygudang.example.';
    const s = '***API_SERVER***';
    expect(masked(text).text).toBe(`${s}, ${s}/x and https://${s}/y; not mygudang.example.`);
  });

  test('allowed hosts are kept as URLs, not as a place to hide a key', () => {
    const { mask: masked } = createMasker({ allowHosts: ['api.example.com'] });
    expect(masked('https://api.example.com/v1?token=q7XvT2mN9bKcR4pZw8Yd').text).toBe(
      'https://api.example.com/v1?token=***API_KEY***',
    );
  });

  test('configured values are masked whole even where another rule has found a part of them', () => {
    const { mask: masked } = createMasker({ knownValues: ['kopi-10.1.2.3-susu', 'redis-lan.example:6379'] });
    expect(masked('x kopi-10.1.2.3-susu y http://redis-lan.example:6379/z').text).toBe(
      'x ***API_KEY*** y http://***API_SERVER***/z',
    );
  });

  test('a token of two million characters becomes one marker as soon as it is known', async () => {
    const pieces = Array.from({ length: 2000 }, () => 'aB3dE5gH7j'.repeat(100));
    expect(await throughStream(['key sk-proj-', ...pieces, ' end'])).toBe('key ***API_KEY*** end');
  });

  test('a stream gives what the whole text gives', async () => {
    const text = 'Connect to 10.0.0.1 or https://api.example.com/v1, then postgres://a:b@c/d. ';
    expect(await throughStream(Array.from({ length: text.length }, (_, index) => text.charAt(index)))).toBe(
      mask(text).text,
    );
  });
});

test('what stands before a masked value is not masked in a second go', () => {
  const { text } = mask('_mmk'.repeat(90));
  expect(text).toContain('***API_KEY***');
  expect(mask(text).text).toBe(text);
});
