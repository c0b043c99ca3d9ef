import { describe, expect, test } from '@jest/globals';
import { servedContentType, statedContentType } from './content-type.ts';

describe('statedContentType', () => {
  test.each([
    ['image/PNG', 'image/png'],
    ['text/plain; charset=x', 'text/plain'],
    [undefined, 'application/octet-stream'],
    ['', 'application/octet-stream'],
    ['nonsense', 'application/octet-stream'],
    ['text/html\r\nX: y', 'application/octet-stream'],
    ['a/b/c', 'application/octet-stream'],
  ])('%j is %s', (given, type) => {
    expect(statedContentType(given)).toBe(type);
  });
});

describe('servedContentType', () => {
  test.each(['image/png', 'video/mp4', 'audio/ogg', 'application/pdf', 'application/json'])('lets %s be', (type) => {
    expect(servedContentType(type)).toBe(type);
  });
  test.each(['text/plain', 'text/csv', 'text/markdown'])('serves %s as plain text', (type) => {
    expect(servedContentType(type)).toBe('text/plain; charset=utf-8');
  });
  test.each([
    'text/html',
    'image/svg+xml',
    'application/xhtml+xml',
    'application/xml',
    'text/xml',
    'text/javascript',
    'application/javascript',
    'text/css',
    'application/wasm',
    'application/x-shockwave-flash',
    'multipart/related',
    'message/rfc822',
  ])('takes its type from %s', (type) => {
    expect(servedContentType(type)).toBe('application/octet-stream');
  });
});
