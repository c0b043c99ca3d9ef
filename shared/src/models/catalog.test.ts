import { expect, test } from '@jest/globals';
import { createCatalog, type ModelConfig, type UpstreamConfig } from './catalog.ts';

const upstream: UpstreamConfig = { name: 'one', provider: 'openai', baseUrl: 'http://127.0.0.1:1/v1', stream: 'auto' };
const deadlines = { connectMs: 1, firstTokenMs: 2, idleMs: 3, totalMs: 4 };
const model = (name: string, ...aliases: string[]): ModelConfig => ({
  ...{ name, aliases, deadlines, routes: [{ upstream: 'one', model: 'm', weight: 1, order: 0 }] },
});

test('names and aliases lead to the public name, and nothing else does', () => {
  const catalog = createCatalog('file', [upstream], [model('a', 'b', 'c'), model('d')]);
  expect(['a', 'b', 'c', 'd', 'e', '', 'constructor'].map((name) => catalog.resolve(name))).toEqual([
    ...['a', 'a', 'a', 'd'],
    ...[undefined, undefined, undefined],
  ]);
  expect([...catalog.models.keys()]).toEqual(['a', 'd']);
});

test('equal catalogs have equal digests, and others have others', () => {
  const digest = (name: string, more: Partial<UpstreamConfig> = {}) =>
    createCatalog('file', [{ ...upstream, ...more }], [model(name)]).digest;
  expect(digest('a')).toBe(digest('a'));
  expect(new Set([digest('a'), digest('b'), digest('a', { maxInFlight: 2 })]).size).toBe(3);
});
