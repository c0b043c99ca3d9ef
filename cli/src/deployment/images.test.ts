import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';

const root = new URL('../../../', import.meta.url);
const read = (path: string) => readFileSync(new URL(path, root), 'utf8');
/** What is built here, and therefore has no digest before it is. */
const OWN = /^(?:\$\{LONTAR_IMAGE:-)?lontar\b/;

/** Every image that is fetched from elsewhere, with where it is named. */
function fetchedImages(): [string, string][] {
  const named = (file: string, pattern: RegExp): [string, string][] =>
    [...read(file).matchAll(pattern)].map(([, image = '']) => [file, image]);
  return [
    ...named('Dockerfile', /^ARG NODE_IMAGE=(\S+)$/gm),
    ...named('docker-compose.yml', /^ +image: (\S+)$/gm),
    ...['redis', 'gateway', 'worker', 'stats-service'].flatMap((name) =>
      named(`deploy/kubernetes/${name}.yaml`, /^ +image: (\S+)$/gm),
    ),
  ]
    .filter(([, image]) => !OWN.test(image))
    .map(([file, image]) => [file, image.replace(/^\$\{\w+:-(.+)\}$/, '$1')]);
}

test('every image from elsewhere is named by digest beside its tag', () => {
  const images = fetchedImages();
  expect(images.map(([, image]) => image.split('@')[0])).toEqual([
    'node:24-trixie-slim',
    'redis:8',
    'prom/prometheus:v3',
    'prom/alertmanager:v0.28.1',
    'grafana/grafana:12.2.0',
    'redis:8',
  ]);
  for (const [, image] of images) expect(image).toMatch(/^[\w./-]+:[\w.-]+@sha256:[0-9a-f]{64}$/);
  expect(read('Dockerfile').match(/^FROM (?!\$\{NODE_IMAGE\}|manifests )/m)).toBeNull();
});

test('one Redis serves everywhere, also where npm start runs it in a container', () => {
  const redis = new Set(fetchedImages().flatMap(([, image]) => (image.startsWith('redis:') ? [image] : [])));
  expect(redis.size).toBe(1);
  const [, digest = ''] = [...redis][0]?.split('@') ?? [];
  expect(read('cli/src/redis/obtain-redis.ts')).toContain(digest);
});
