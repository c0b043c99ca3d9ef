import { readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { startTestRedis, type TestRedis } from '../testing/redis-server.ts';
import { startTcpProxy, type TcpProxy } from '../testing/tcp-proxy.ts';
import { meetingOf } from './clock-correction.ts';
import { RedisAwayError } from './redis-away.ts';
import { connectFailFast, connectPatient, connectReader, connectTwin, type Redis } from './redis-connection.ts';

const LIST = '{lontar}:probe:list';
const TEXT = '{lontar}:probe:text';

let server: TestRedis;
let proxy: TcpProxy;
const opened: Redis[] = [];

beforeAll(async () => {
  server = await startTestRedis({ args: ['--replica-serve-stale-data', 'no'] });
  proxy = await startTcpProxy(server.port);
});
afterEach(async () => {
  for (const redis of opened.splice(0)) redis.disconnect();
  await server.client.replicaof('NO', 'ONE');
  await server.client.flushall();
});
afterAll(async () => {
  await proxy.stop();
  await server.stop();
});

async function open(make: (url: string) => Redis, { port }: { readonly port: number } = server): Promise<Redis> {
  const redis = make(`redis://127.0.0.1:${port}`);
  redis.on('error', () => undefined);
  await redis.connect();
  opened.push(redis);
  // It asks the server something of its own accord.
  await meetingOf(redis);
  return redis;
}

const fast = (url: string) => connectFailFast(url, 'fast');
const patient = (url: string) => connectPatient(url, 'patient');
const reader = (url: string) => connectReader(url, 'reader');
const twin = (url: string) => connectTwin(connectPatient(url, 'patient'), 'twin');
const connectedAnew = (redis: Redis) => new Promise<void>((resolve) => void redis.once('ready', resolve));
const messageOf = (work: Promise<unknown>) => work.then(String, (error: Error) => error.message);

describe('a server that is not the primary any more', () => {
  const toReplica = () => server.client.replicaof('127.0.0.1', '1');
  const toPrimary = () => server.client.replicaof('NO', 'ONE');
  /** As a server says that cannot be made to say so for as long as a test needs. */
  const says = (code: string) => (redis: Redis) =>
    redis.eval(
      "if redis.call('EXISTS', KEYS[1]) == 1 then return 'OK' end return redis.error_reply(ARGV[1])",
      ...([1, TEXT, `${code} not here`] as const),
    );
  const untilToldOtherwise = () => server.client.set(TEXT, 'x');

  /** What is refused, and what makes a server refuse it and take it again. */
  const refusals: readonly (readonly [
    code: string,
    refused: (redis: Redis) => Promise<unknown>,
    make: () => unknown,
    end: () => unknown,
  ])[] = [
    ['READONLY', (redis) => redis.set(TEXT, 'x'), toReplica, toPrimary],
    ['MASTERDOWN', (redis) => redis.exists(TEXT), toReplica, toPrimary],
    ...['LOADING', 'MOVED', 'ASK', 'CLUSTERDOWN', 'TRYAGAIN'].map(
      (code) => [code, says(code), () => undefined, untilToldOtherwise] as const,
    ),
  ];

  test.each(refusals)(
    'says %s: what fails fast connects anew, what is patient repeats its command',
    async (code, refused, make, end) => {
      const connections = await Promise.all([fast, reader, patient].map((kind) => open(kind)));
      const [quick, reads, waits] = connections as [Redis, Redis, Redis];
      const anew = connections.map(connectedAnew);
      await make();
      const failed = refused(quick).catch((error: unknown) => error);
      const read = messageOf(refused(reads));
      const repeated = messageOf(refused(waits));
      expect(await failed).toBeInstanceOf(RedisAwayError);
      expect([String(await failed), await read]).toEqual(Array(2).fill(expect.stringContaining(`${code} `)));
      await end();
      await Promise.all(anew);
      expect(['OK', '0']).toContain(await repeated);
    },
  );

  test('says UNBLOCKED to what blocks: that waits at the next one, and what reads connects anew', async () => {
    const [waits, reads] = await Promise.all([open(patient), open(reader)]);
    const anew = [waits, reads].map(connectedAnew);
    const waited = waits.blpop(LIST, 0);
    const read = messageOf(reads.blpop(LIST, 0));
    const blocked = async () => [...String(await server.client.client('LIST')).matchAll(/cmd=blpop/g)].length;
    while ((await blocked()) < 2);
    await toReplica();
    expect(await read).toMatch(/^UNBLOCKED /);
    await toPrimary();
    await Promise.all(anew);
    await server.client.rpush(LIST, 'a job');
    expect(await waited).toEqual([LIST, 'a job']);
  });
});

test('nothing waits for ever at a host that is gone and closes no connection: it is made anew', async () => {
  const connections = await Promise.all([fast, patient, reader, twin].map((make) => open(make, proxy)));
  const [quick, blocked, reads, twinned] = connections as [Redis, Redis, Redis, Redis];
  const anew = connections.map(connectedAnew);
  proxy.mode('lose');
  proxy.mode('pass');
  const failed = [quick.get(TEXT), reads.blpop(LIST, 0)].map((work) => work.catch((error: unknown) => error));
  const waited = [blocked, twinned].map((redis, index) => redis.blpop(`${LIST}:${index}`, 0));
  await Promise.all(anew);
  for (const error of await Promise.all(failed)) expect(error).toBeInstanceOf(Error);
  for (const index of waited.keys()) await server.client.rpush(`${LIST}:${index}`, 'a job');
  expect(await Promise.all(waited)).toEqual(waited.map((_, index) => [`${LIST}:${index}`, 'a job']));
});

const onLinux = process.platform === 'linux' ? test : test.skip;
onLinux('the kernel asks soon about connections that are idle whether their host is there', async () => {
  const hex = (port: number) => port.toString(16).toUpperCase().padStart(4, '0');
  for (const { stream } of await Promise.all([fast, patient, reader, twin].map((make) => open(make)))) {
    const own = hex((stream as unknown as { localPort: number }).localPort);
    const row = new RegExp(`:${own} \\S+:${hex(server.port)} 01 \\S+ (\\w\\w):(\\w+) `);
    // 02 is the timer of that; when it is due is in hundredths of a second. Another one stands there while a packet is on
    // its way.
    let [kind, due]: (string | undefined)[] = [];
    while (kind !== '02') [, kind, due] = row.exec(readFileSync('/proc/net/tcp', 'latin1')) ?? [];
    expect(Number.parseInt(due ?? '', 16)).toBeLessThanOrEqual(1_000);
  }
});
