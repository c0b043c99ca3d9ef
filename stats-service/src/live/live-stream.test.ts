import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { describe, expect, test } from '@jest/globals';
import type { LogRow } from '@lontar/shared/dashboard-contract.ts';
import { compareCursors } from '../log/read-log.ts';
import { createLiveStream } from './live-stream.ts';

const row = (index: number) => ({ cursor: `1000-${index}`, id: `req_${index}` }) as LogRow;

/** A log in memory that begins at row `first`. */
function logOf(rows: LogRow[]) {
  let lookers = 0;
  return {
    rows,
    follow: async () => {
      lookers++;
      return () => void lookers--;
    },
    /** Who looks on. */
    get lookers() {
      return lookers;
    },
    after: (cursor: string) =>
      compareCursors(cursor, rows[0]?.cursor ?? '0-0') < 0
        ? undefined
        : rows.filter((row) => compareCursors(row.cursor, cursor) > 0),
  };
}

class Response extends EventEmitter {
  writableLength = 0;
  destroyed = false;
  readonly written: string[] = [];
  writeHead() {}
  write(text: string) {
    this.written.push(text);
  }
  end(text: string) {
    this.written.push(text);
    this.emit('close');
  }
  destroy() {
    this.destroyed = true;
    this.emit('close');
  }
  events() {
    return this.written.flatMap((text) => /^event: (\w+)/.exec(text)?.[1] ?? []);
  }
}

const session = { digest: 'd', address: 'a' };

async function open(
  live: ReturnType<typeof createLiveStream>,
  lastEventId?: string,
  signedIn = true,
  response = new Response(),
) {
  await live.open({
    response: response as unknown as ServerResponse,
    listener: signedIn ? { session } : {},
    lastEventId,
    snapshot: async () => (rows) => ({ rows: rows.map(({ id }) => id) }),
  });
  return response;
}

test('a first visit gets a snapshot, newest row first', async () => {
  const live = createLiveStream(logOf([row(1), row(2)]));
  const response = await open(live);
  expect(response.written.at(-1)).toBe('event: snapshot\nid: 1000-2\ndata: {"rows":["req_2","req_1"]}\n\n');
});

test('a return gets what it missed and no snapshot', async () => {
  const live = createLiveStream(logOf([row(1), row(2), row(3)]));
  const response = await open(live, '1000-1');
  expect(response.events()).toEqual(['log']);
  expect(response.written.at(-1)).toContain('"id":"req_2"');
  expect(response.written.at(-1)).toContain('id: 1000-3\n');
});

test('a return after too long gets a snapshot', async () => {
  const live = createLiveStream(logOf([row(5)]));
  expect((await open(live, '1000-1')).events()).toEqual(['snapshot']);
});

test('without a session there are no rows, ever', async () => {
  const rows = [row(1)];
  const live = createLiveStream(logOf(rows));
  const response = await open(live, undefined, false);
  rows.push(row(2));
  live.sendRows();
  live.sendStats(() => ({ at: 1 }));
  expect(response.events()).toEqual(['snapshot', 'stats']);
  expect(response.written.join('')).not.toContain('req_');
});

test('more rows than a page shows are left out, and the page learns how many', async () => {
  const rows = [row(0)];
  const live = createLiveStream(logOf(rows));
  const response = await open(live);
  rows.push(...Array.from({ length: 400 }, (_, index) => row(index + 1)));
  live.sendRows();
  expect(response.written.at(-1)).toContain('"skipped":150');
});

test('a reader who does not read is dropped, and the others go on', async () => {
  const live = createLiveStream(logOf([]));
  const [lazy, good] = [await open(live), await open(live)];
  lazy.writableLength = 3 * 1024 * 1024;
  live.sendStats(() => ({ at: 1 }));
  expect([lazy.destroyed, good.destroyed, live.size]).toEqual([true, false, 1]);
  expect(good.events()).toEqual(['snapshot', 'stats']);
});

describe('the number of streams is bounded', () => {
  /** Opens streams whose snapshots come when `arrive` is called; `opened` are those that then have one. */
  function openMany(live: ReturnType<typeof createLiveStream>, count: number, signedIn: boolean) {
    const { promise: arrived, resolve: arrive } = Promise.withResolvers<void>();
    const responses = Array.from({ length: count }, () => new Response());
    const opening = responses.map((response) =>
      live.open({
        response: response as unknown as ServerResponse,
        listener: signedIn ? { session } : {},
        lastEventId: undefined,
        snapshot: () => arrived.then(() => () => ({})),
      }),
    );
    const opened = async () => (await Promise.all(opening)).filter(Boolean).length;
    return { responses, arrive, opened };
  }

  test('for those that come side by side, too', async () => {
    const live = createLiveStream(logOf([]));
    const many = openMany(live, 130, true);
    many.arrive();
    expect(await many.opened()).toBe(100);
    expect(live.size).toBe(100);
    expect(many.responses.at(-1)?.written).toEqual([]);
  });

  test('and half of the places are for sessions', async () => {
    const live = createLiveStream(logOf([]));
    for (const [signedIn, opened] of [
      [false, 50],
      [true, 50],
      [false, 0],
    ] as const) {
      const many = openMany(live, 70, signedIn);
      many.arrive();
      expect(await many.opened()).toBe(opened);
    }
  });

  test('and sessions may take all of them', async () => {
    const live = createLiveStream(logOf([]));
    for (const [signedIn, opened] of [
      [true, 100],
      [false, 0],
    ] as const) {
      const many = openMany(live, 130, signedIn);
      many.arrive();
      expect(await many.opened()).toBe(opened);
    }
  });

  test('and who leaves gives the place back, before the snapshot and after it', async () => {
    const log = logOf([]);
    const live = createLiveStream(log);
    const early = openMany(live, 50, false);
    for (const response of early.responses) response.destroy();
    early.arrive();
    await early.opened();
    expect([live.size, log.lookers]).toEqual([0, 0]);
    const late = openMany(live, 50, false);
    late.arrive();
    expect(await late.opened()).toBe(50);
    expect(log.lookers).toBe(50);
    for (const response of late.responses) response.destroy();
    const next = openMany(live, 50, false);
    next.arrive();
    expect(await next.opened()).toBe(50);
    expect(log.lookers).toBe(50);
  });

  test('and who has left before takes none', async () => {
    const live = createLiveStream(logOf([]));
    const gone = new Response();
    gone.destroy();
    for (let index = 0; index < 110; index += 1) await open(live, undefined, true, gone);
    const many = openMany(live, 100, true);
    many.arrive();
    expect(await many.opened()).toBe(100);
  });
});

test('a session that ends takes its streams with it', async () => {
  const live = createLiveStream(logOf([]));
  const [mine, anonymous] = [await open(live), await open(live, undefined, false)];
  live.dropSessions(({ digest }) => digest === 'd');
  expect(mine.events().at(-1)).toBe('bye');
  expect(anonymous.events()).toEqual(['snapshot']);
});
