import { Writable } from 'node:stream';
import { expect, test } from '@jest/globals';
import { createLogger, loggableUrl } from './logger.ts';

function capture() {
  const lines: string[] = [];
  const destination = new Writable({
    write(chunk: Buffer, _encoding, done) {
      lines.push(chunk.toString());
      done();
    },
  });
  return { logger: createLogger('test', 'trace', destination), text: () => lines.join('') };
}

test('a log line is JSON with service, level and time', () => {
  const { logger, text } = capture();
  logger.info({ requestId: 'req_1' }, 'hello');
  expect(JSON.parse(text())).toMatchObject({ service: 'test', level: 'info', requestId: 'req_1', msg: 'hello' });
});

test('loggers that say nothing listen to nothing, however many there are', () => {
  const before = process.listenerCount('exit');
  for (let made = 0; made < 20; made += 1) createLogger('test', 'silent').error('x');
  expect(process.listenerCount('exit')).toBe(before);
});

test('well-known secrets and texts are cut, one level down too', () => {
  const { logger, text } = capture();
  logger.info({ apikey: 'canary', prompt: 'canary', body: { text: 'canary', authorization: 'canary' } }, 'x');
  expect(text()).not.toContain('canary');
});

test.each(['apikey', 'apiKey', 'authorization', 'prompt', 'text', 'answer', 'password', 'pepper'])(
  '%s is cut, and the rest of its line stays',
  (name) => {
    const { logger, text } = capture();
    const given = { requestId: 'req_1', [name]: 'canary', list: ['canary-free'], nothing: null };
    logger.info(given, 'x');
    expect(JSON.parse(text())).toMatchObject({
      requestId: 'req_1',
      [name]: '[cut]',
      list: ['canary-free'],
      nothing: null,
    });
    expect(given[name as 'requestId']).toBe('canary');
  },
);

test.each(['apikey', 'apiKey', 'authorization', 'prompt', 'text'])('%s is cut inside a field', (name) => {
  const { logger, text } = capture();
  const body = { route: '/x', [name]: { deep: 'canary' } };
  logger.info({ body, other: Object.assign(new Error('x'), { [name]: 'canary' }) }, 'x');
  expect(JSON.parse(text())).toMatchObject({ body: { route: '/x', [name]: '[cut]' } });
  expect(text()).not.toContain('canary');
});

test('an error is reduced to type, message and stack, whatever a library hung on it', () => {
  const { logger, text } = capture();
  logger.error(
    { err: Object.assign(new Error('failed'), { responseBody: 'canary', request: { key: 'canary' } }) },
    'x',
  );
  expect(text()).toContain('failed');
  expect(text()).not.toContain('canary');
});

test('a URL loses its query', () => {
  expect(loggableUrl('/api/ai?apikey=canary&prompt=canary')).toBe('/api/ai?…');
  expect(loggableUrl('/api/ai')).toBe('/api/ai');
});
