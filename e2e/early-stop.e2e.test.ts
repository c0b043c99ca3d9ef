import { EventEmitter, once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { listInstances } from '@lontar/shared/instances.ts';
import { startTestRedis, type TestRedis } from '@lontar/shared/testing/redis-server.ts';
import { eventually } from './harness/eventually.ts';
import { type Service, startService } from './harness/service.ts';

const SERVICES = ['gateway', 'worker', 'stats-service'];
/** Sends the process SIGTERM as soon as it has taken it; its modules are not loaded then. */
const SIGNALLED_WHILE_LOADING = `--import data:text/javascript,${encodeURIComponent(
  "process.on('newListener',(name)=>{if(name==='SIGINT')process.kill(process.pid,'SIGTERM')})",
)}`;

let redis: TestRedis;
let door: Awaited<ReturnType<typeof openDoor>>;
let running: Service[] = [];

beforeAll(async () => {
  redis = await startTestRedis();
});
afterEach(async () => {
  await Promise.all(running.map((service) => service.end('SIGKILL')));
  running = [];
  await door.close();
});
afterAll(() => redis.stop());

/** A way to Redis that says `knock` when somebody connects, and `piece` at each piece that it is sent. */
async function openDoor(isOpen: boolean) {
  const events = new EventEmitter();
  const sockets = new Set<Socket>();
  const to = new URL(redis.url);
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => undefined));
    events.emit('knock');
    socket.on('data', () => events.emit('piece'));
    if (!isOpen) return;
    const inner = connect(Number(to.port), to.hostname).on('error', () => undefined);
    sockets.add(inner);
    socket.pipe(inner).pipe(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  return {
    events,
    url: `redis://127.0.0.1:${port}`,
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

function start(name: string, more: Record<string, string> = {}): Service {
  const service = startService(name, `${name}/src/main.ts`, {
    REDIS_URL: door.url,
    KEY_PEPPER: 'p'.repeat(40),
    DASHBOARD_TOKEN: 't'.repeat(20),
    INNER_SECRET: 'i'.repeat(40),
    MODEL_PROVIDER: 'demo',
    UPLOAD_DIR: tmpdir(),
    PORT: '0',
    STATS_PORT: '0',
    METRICS_PORT: '0',
    ...more,
  });
  running.push(service);
  return service;
}

describe.each(SERVICES)('%s that is told to stop', (name) => {
  test('while it loads ends at once, and never asks for Redis', async () => {
    door = await openDoor(true);
    const knocks: unknown[] = [];
    door.events.on('knock', () => knocks.push(1));
    const service = start(name, { NODE_OPTIONS: SIGNALLED_WHILE_LOADING });
    expect(await once(service.process, 'exit')).toEqual([0, null]);
    expect(knocks).toEqual([]);
    expect(service.logs()).toBe('');
  });

  test('while Redis does not answer does not wait for it', async () => {
    door = await openDoor(false);
    const service = start(name);
    await once(door.events, 'piece');
    expect(await service.end('SIGTERM')).toBe(0);
    expect(service.logs()).toMatch(/"clean":true,.*"stopped"/);
    expect(service.logs()).not.toContain('cannot be reached');
  });

  test('half started stops what it had started', async () => {
    door = await openDoor(true);
    const service = start(name);
    for (let pieces = 0; pieces < 12; pieces++) await once(door.events, 'piece');
    expect(await service.end('SIGTERM')).toBe(0);
    expect(service.logs()).toMatch(/"clean":true,.*"stopped"/);
    expect(service.logs()).not.toMatch(/"level":"error"/);
    // One whose first beat was on its way when the connection ended expires.
    await eventually(async () => (await listInstances(redis.client)).length === 0);
  });
});
