import { expect, test } from '@jest/globals';
import { helmetHeaders } from './helmet-headers.ts';

test('helmet gives its headers to a response that knows nothing else', () => {
  const headers = helmetHeaders({ contentSecurityPolicy: { directives: { defaultSrc: ["'none'"] } } });
  expect([...headers.keys()].toSorted()).toEqual([
    'Content-Security-Policy',
    'Cross-Origin-Opener-Policy',
    'Cross-Origin-Resource-Policy',
    'Origin-Agent-Cluster',
    'Referrer-Policy',
    'Strict-Transport-Security',
    'X-Content-Type-Options',
    'X-DNS-Prefetch-Control',
    'X-Download-Options',
    'X-Frame-Options',
    'X-Permitted-Cross-Domain-Policies',
    'X-XSS-Protection',
  ]);
  expect(headers.get('Content-Security-Policy')).toContain("default-src 'none'");
});

test('what helmet does not take is told at the start', () => {
  expect(() => helmetHeaders({ contentSecurityPolicy: { directives: { defaultSrc: ['none'] } } })).toThrow();
});
