import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { JsonBytes, writeJson } from '@lontar/shared/json-bytes.ts';
import { type Frame, writeFrames } from '@lontar/shared/live/frames.ts';
import { writeNumbered } from '@lontar/shared/live/numbered-frames.ts';
import { createLogger } from '@lontar/shared/logger.ts';
import { connectFailFast, connectReader, type Redis } from '@lontar/shared/redis-connection.ts';
import { redisKeys } from '@lontar/shared/redis-keys.ts';
import { settle } from '@lontar/shared/settlement/settle.ts';
import type { Answered, Settlement } from '@lontar/shared/settlement/settlement.ts';
import { textAsJson } from '@lontar/shared/settlement/text-literal.ts';
import { runTurn } from '@lontar/shared/settlement/turn.ts';
import { startTestRedis, type TestRedis } from '@lontar/shared/testing/redis-server.ts';
import { reserve } from '@lontar/shared/testing/reservations.ts';
import { sweepReservations } from '../generation/sweep.ts';
import { type Inbox, openInbox } from './inbox.ts';

let server: TestRedis;
const opened: { inbox: Inbox; redis: Redis }[] = [];

beforeAll(async () => {
  server = await startTestRedis({ durable: true });
});
afterAll(async () => {
  await Promise.all(opened.map(({ inbox }) => inbox.stop()));
  for (const { redis } of opened) redis.disconnect();
  await server.stop();
});
beforeEach(() => server.client.flushall());

async function open(gateway: string): Promise<Inbox> {
  const redis = connectFailFast(server.url, gateway);
  const reader = connectReader(server.url, `${gateway}-inbox`);
  for (const connection of [redis, reader]) connection.on('error', () => undefined);
  await Promise.all([redis.connect(), reader.connect()]);
  const inbox = await openInbox({ gateway, redis, reader, logger: createLogger('test', 'silent') });
  opened.push({ inbox, redis });
  return inbox;
}

const settlement = (text: string): Settlement => ({
  v: 1,
  outcome: 'answered',
  text,
  masked: { url: 0, key: 0, ip: 0, connection: 0 },
  usage: { input: 0, output: 0 },
  work: { attempts: 1, queuedMs: 0, modelMs: 0, maskMs: 0 },
});
const admitted = (requestId: string, endsAt = 1) => reserve(server.client, requestId, 'k', endsAt);
const reply = (requestId: string, text: string, replyTo?: string) =>
  settle(server.client, { requestId, keyId: 'k', settlement: settlement(text), ...(replyTo && { replyTo }) });

describe('an inbox', () => {
  test('gives each waiter its own reply, and none that of another gateway', async () => {
    const [one, two] = await Promise.all([open('g1'), open('g2')]);
    const ids = Array.from({ length: 200 }, (_, index) => `req_${index}`);
    await Promise.all(ids.map((id) => admitted(id)));
    const waiting = ids.map((id, index) => (index % 2 ? one : two).wait(id).reply);
    await Promise.all(ids.map((id, index) => reply(id, `text of ${id}`, index % 2 ? 'g1' : 'g2')));
    const texts = (await Promise.all(waiting)).map((got) =>
      got !== 'given up' && got.outcome === 'answered' ? got.text : '',
    );
    expect(texts).toEqual(ids.map((id) => `text of ${id}`));
    expect([one.waiting, two.waiting]).toEqual([0, 0]);
  });

  test('gives long replies to all who wait for them, and hands them on as they came to one alone', async () => {
    const inbox = await open('long');
    const text = 'é 漢字 "quoted", \\ \n'.repeat(4_000);
    await Promise.all(['req_one', 'req_several'].map((id) => admitted(id)));
    const one = inbox.wait('req_one').reply;
    const several = [inbox.wait('req_several').reply, inbox.wait('req_several').reply];
    await reply('req_one', text, 'long');
    await reply('req_several', text, 'long');
    expect(textAsJson((await one) as Answered)).toBeInstanceOf(JsonBytes);
    for (const got of [await one, ...(await Promise.all(several))]) {
      const body = [writeJson({ result: textAsJson(got as Answered) })].flat().map(String).join('');
      expect(body).toBe(JSON.stringify({ result: text }));
    }
  });

  test('gives each waiter its own of the replies that one turn of a worker sends, and forgets what was read', async () => {
    const inbox = await open('turn');
    const ids = Array.from({ length: 1_200 }, (_, index) => `req_turn_${index}`);
    await Promise.all(ids.map((id) => admitted(id)));
    const waiting = ids.map((id) => inbox.wait(id).reply);
    for (let from = 0; from < ids.length; from += 60) {
      const endings = ids.slice(from, from + 60).map((requestId) => ({
        requestId,
        settle: { keyId: 'k', settlement: settlement(`text of ${requestId}`), replyTo: 'turn' },
      }));
      await runTurn(server.client, { endings, take: 0, lock: 'turn' });
    }
    const texts = (await Promise.all(waiting)).map(
      (got) => got !== 'given up' && got.outcome === 'answered' && got.text,
    );
    expect(texts).toEqual(ids.map((id) => `text of ${id}`));
    const bytesOfAll = ids.reduce((sum, id) => sum + JSON.stringify(settlement(`text of ${id}`)).length, 0);
    expect(Number(await server.client.get(redisKeys.inboxBytes('turn')))).toBeLessThan(bytesOfAll / 2);
    expect(await server.client.xlen(redisKeys.inbox('turn'))).toBeLessThan(12);
  });

  test('finds a stored result whose reply never came', async () => {
    const inbox = await open('g3');
    await admitted('req_lost');
    const waiting = inbox.wait('req_lost').reply;
    await reply('req_lost', 'found', 'some-other-gateway');
    expect(await waiting).toMatchObject({ text: 'found' });
  });

  test('drops a reply without a waiter', async () => {
    const inbox = await open('g4');
    await Promise.all([admitted('req_a'), admitted('req_b')]);
    const forgotten = inbox.wait('req_a');
    forgotten.forget();
    const waiting = inbox.wait('req_b').reply;
    await reply('req_a', 'late', 'g4');
    await reply('req_b', 'wanted', 'g4');
    expect(await waiting).toMatchObject({ text: 'wanted' });
    expect(await Promise.race([forgotten.reply, Promise.resolve('open')])).toBe('open');
  });

  test('gives a reply to all who wait for the same request, but those who have stopped', async () => {
    const inbox = await open('several');
    await admitted('req_several');
    const [one, two, three, four] = ['1', '2', '3', '4'].map(() => inbox.wait('req_several'));
    for (const wait of [one, three, three]) wait?.forget();
    expect(inbox.waiting).toBe(1);
    await reply('req_several', 'for two and four', 'several');
    expect(await Promise.all([two?.reply, four?.reply])).toMatchObject([
      { text: 'for two and four' },
      { text: 'for two and four' },
    ]);
    expect(await Promise.race([one?.reply, three?.reply, Promise.resolve('open')])).toBe('open');
    expect(inbox.waiting).toBe(0);
  });

  test('opens though its connection is lost meanwhile', async () => {
    await server.client.client('PAUSE', 60_000, 'WRITE');
    const opening = open('lost');
    const isWaiting = async () => {
      const clients = String(await server.client.client('LIST'));
      return /id=(\d+) [^\n]*name=lost-inbox [^\n]*flags=b[^\n]*cmd=pexpire/.exec(clients)?.[1];
    };
    let reader: string | undefined;
    while (reader === undefined) reader = await isWaiting();
    await server.client.client('KILL', 'ID', reader);
    await server.client.client('UNPAUSE');
    const inbox = await opening;
    await admitted('req_lost');
    const waiting = inbox.wait('req_lost').reply;
    await reply('req_lost', 'found', 'lost');
    expect(await waiting).toMatchObject({ text: 'found' });
  });

  test('goes on after Redis was killed and has come back', async () => {
    const inbox = await open('g5');
    await Promise.all([admitted('req_c'), admitted('req_d')]);
    const before = inbox.wait('req_c').reply;
    await reply('req_c', 'before', 'g5');
    expect(await before).toMatchObject({ text: 'before' });
    const after = inbox.wait('req_d').reply;
    await server.kill();
    await server.start();
    await reply('req_d', 'after', 'g5');
    expect(await after).toMatchObject({ text: 'after' });
  });

  test('hands over frames by the numbers of their streams, and asks what a number stands for that it has not heard of', async () => {
    const inbox = await open('numbers.3');
    const seen: Frame[] = [];
    const reading = Promise.withResolvers<void>();
    const stop = inbox.read('req_1', (frame) => {
      seen.push(frame);
      if (frame[4] === 'end') reading.resolve();
    });
    const piece = (number: number, offset: number, data: string, goesOn = false) =>
      writeNumbered([{ number, track: 'text', offset, data, goesOn }]);
    const add = (sequence: number, pieces: string, ...firsts: string[]) =>
      server.client.xadd(redisKeys.inbox('numbers.3'), '*', 'numbered', 'w', String(sequence), pieces, ...firsts);
    await add(1, '', '1 1 req_1', piece(1, 0, 'One '), '2 1 req_other', piece(2, 0, 'not read'));
    await add(2, piece(1, 0, 'two ', true));
    // Of another worker, which introduced it to another gateway.
    await server.client.hset(redisKeys.streamNumbers('v'), '9', '1 req_1');
    for (let sequence = 1; seen.length < 3; sequence++) {
      await server.client.xadd(
        redisKeys.inbox('numbers.3'),
        '*',
        'numbered',
        'v',
        String(sequence),
        piece(9, 8, 'three '),
      );
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    await add(3, piece(1, 0, 'end', true));
    await reading.promise;
    stop();
    const texts = [...new Set(seen.map((frame) => JSON.stringify(frame)))].map((json) => JSON.parse(json) as Frame);
    expect(texts).toEqual([
      ['req_1', 1, 'text', 0, 'One '],
      ['req_1', 1, 'text', 4, 'two '],
      ['req_1', 1, 'text', 8, 'three '],
      ['req_1', 1, 'text', 8, 'end'],
    ]);
  });

  test('reads on where another server has a shorter stream, and gives earlier ids', async () => {
    const inbox = await open('back');
    const key = redisKeys.inbox('back');
    const taken: string[] = [];
    const has = (text: string) =>
      new Promise<void>((resolve) => {
        const look = () => (taken.includes(text) ? resolve() : setTimeout(look, 10));
        look();
      });
    inbox.read('req_back', ([, , , , text]) => taken.push(text));
    const frames = (text: string): string => writeFrames([['req_back', 1, 'text', 0, text]]);
    await server.client.xadd(key, '9999999999999-0', 'frames', frames('ahead'));
    await has('ahead');
    // As after a failover: the stream has an earlier end there, and all connections are new.
    await server.client.multi().del(key).xadd(key, '1-0', 'opened', '1').exec();
    const listed = String(await server.client.client('LIST'));
    const reader = /id=(\d+) [^\n]*name=back-inbox /.exec(listed)?.[1] ?? '';
    const read: string[] = [];
    const monitor = await server.client.duplicate().monitor();
    monitor.on('monitor', (_time: string, [command = '', ...words]: string[]) => {
      if (command.toLowerCase() === 'xread') read.push(words.at(-1) ?? '');
    });
    await server.client.client('KILL', 'ID', reader);
    await server.client.xadd(key, '2-0', 'frames', frames('behind'));
    await has('behind');
    monitor.disconnect();
    // A read that was under way is not sent again: it would wait behind an id that does not come.
    expect(read[0]).toBe('0-0');
    expect(read).not.toContain('9999999999999-0');
  });

  test('is gone when its gateway has stopped', async () => {
    const inbox = await open('g6');
    expect(await server.client.pttl(redisKeys.inbox('g6'))).toBeGreaterThan(0);
    await inbox.stop();
    expect(await server.client.exists(redisKeys.inbox('g6'))).toBe(0);
  });
});

test('the sweeper gives back what is overdue, once, and leaves the rest', async () => {
  const { client } = server;
  await client.hset(redisKeys.apiKey('k'), { id: 'k', charged: 3 });
  await Promise.all([admitted('req_old', 1_000), admitted('req_new', 9_000)]);
  await reserve(client, 'req_long_settled', 'idle', 500);
  await client.zrem(redisKeys.keyFlight('idle'), 'req_long_settled');
  expect(await Promise.all([sweepReservations(client, 5_000, 5), sweepReservations(client, 5_000, 5)])).toContain(1);
  expect(await sweepReservations(client, 5_000, 5)).toBe(0);
  expect(await client.hget(redisKeys.apiKey('k'), 'charged')).toBe('2');
  expect(await client.zrange(redisKeys.keyFlight('k'), '0', '-1')).toEqual(['req_new']);
  expect(await client.zrange(redisKeys.keysInFlight, '0', '-1', 'WITHSCORES')).toEqual(['k', '9000']);
});
