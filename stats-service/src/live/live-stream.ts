import type { ServerResponse } from 'node:http';
import type { ByeMessage, LogMessage, LogRow } from '@lontar/shared/dashboard-contract.ts';
import type { RecentLog } from '../log/follow-log.ts';
import { CURSOR_PATTERN } from '../log/read-log.ts';

/** Open streams at most; each costs a socket and what it has not read yet. */
const MAX_STREAMS = 100;
/** Of these without a session: readers without a session must not keep the operator out. */
const MAX_ANONYMOUS_STREAMS = MAX_STREAMS / 2;
/** Unread bytes after which a reader is dropped: it would otherwise hold ever more memory. */
const MAX_UNREAD_BYTES = 2 * 1024 * 1024;
/** Rows in one `log` event; a page shows no more. */
const MAX_ROWS = 250;
/** Rows of a snapshot. */
const SNAPSHOT_ROWS = 100;
/** How long the browser waits before it connects again by itself, ms. */
const RECONNECT_MS = 1_000;

const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  // `no-transform` keeps compressing proxies from holding events back, the other one nginx from buffering them.
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
  'x-content-type-options': 'nosniff',
} as const;

/** Who listens. Without a session: the counters, never the log. */
export interface Listener {
  readonly session?: { readonly digest: string; readonly address: string };
}

interface Client extends Listener {
  readonly response: ServerResponse;
  /** The newest row that this client has; rows after it are sent next. */
  cursor: string;
}

export interface LiveStream {
  readonly size: number;
  /**
   * Opens a stream. A client that comes back with the id of the last event that it saw gets the rows it missed; where
   * they are no longer at hand, or on its first visit, a snapshot.
   *
   * @param snapshot reads the snapshot's data for this listener; gives what completes it with the newest rows, newest
   *   first, so that no row comes between the two
   * @returns `false` where one more would be too many; nothing has been sent then
   */
  open(options: {
    readonly response: ServerResponse;
    readonly listener: Listener;
    readonly lastEventId: string | undefined;
    readonly snapshot: () => Promise<(rows: readonly LogRow[]) => object>;
  }): Promise<boolean>;
  /** Sends the event `stats`; `data` is asked once for each kind of listener. */
  sendStats(data: (signedIn: boolean) => object): void;
  /** Sends each client the rows that it does not have. */
  sendRows(): void;
  /** Comment that keeps proxies from closing a quiet stream. */
  sendKeepAlive(): void;
  /** Ends the streams of those whom `isOut` names. */
  dropSessions(isOut: (session: NonNullable<Listener['session']>) => boolean): void;
  sessions(): readonly NonNullable<Listener['session']>[];
  /** Ends the streams of all readers. */
  close(): void;
}

/** Keeps the open streams of dashboard pages. */
export function createLiveStream(log: Pick<RecentLog, 'rows' | 'after' | 'follow'>): LiveStream {
  const clients = new Set<Client>();
  /** Responses that a stream is open on, or is about to be. */
  const places = new Map<ServerResponse, Listener>();

  const send = (client: Client, event: string, data: string) => {
    const { response } = client;
    if (response.writableLength > MAX_UNREAD_BYTES) return drop(client, 'too_slow');
    response.write(`event: ${event}\nid: ${client.cursor}\ndata: ${data}\n\n`);
  };
  const drop = (client: Client, reason: ByeMessage['reason']) => {
    clients.delete(client);
    if (reason === 'too_slow') client.response.destroy();
    else client.response.end(`event: bye\ndata: ${JSON.stringify({ reason } satisfies ByeMessage)}\n\n`);
  };
  const sendMissing = (client: Client) => {
    if (client.session === undefined) return;
    // A gap here means that the log was replaced under us; the page learns the newest rows.
    const missing = log.after(client.cursor) ?? log.rows;
    const rows = missing.slice(-MAX_ROWS);
    const last = rows.at(-1);
    if (last === undefined) return;
    client.cursor = last.cursor;
    send(client, 'log', JSON.stringify({ rows, skipped: missing.length - rows.length } satisfies LogMessage));
  };

  return {
    get size() {
      return clients.size;
    },
    async open({ response, listener, lastEventId, snapshot }) {
      // Who has left already does not leave again, and would keep the place for ever.
      if (response.destroyed) return true;
      if (isFull(places, listener)) return false;
      // Taken before anything is waited for, because others come meanwhile.
      places.set(response, listener);
      response.once('close', () => places.delete(response));
      if (!(await followWhileOpen(log, response))) return true;
      const asked = lastEventId !== undefined && CURSOR_PATTERN.test(lastEventId) ? lastEventId : undefined;
      const resumeAt = asked !== undefined && log.after(asked) !== undefined ? asked : undefined;
      const complete = resumeAt === undefined ? await snapshot() : undefined;
      if (response.destroyed) return true;
      const rows = listener.session === undefined ? [] : log.rows.slice(-SNAPSHOT_ROWS).toReversed();
      const cursor = resumeAt ?? log.rows.at(-1)?.cursor ?? '0-0';
      const client: Client = { ...listener, response, cursor };
      response.writeHead(200, HEADERS);
      response.write(`retry: ${RECONNECT_MS}\n\n`);
      clients.add(client);
      response.on('close', () => clients.delete(client));
      if (complete !== undefined) send(client, 'snapshot', JSON.stringify(complete(rows)));
      sendMissing(client);
      return true;
    },
    sendStats(data) {
      const texts = new Map<boolean, string>();
      for (const client of clients) {
        const signedIn = client.session !== undefined;
        const text = texts.get(signedIn) ?? JSON.stringify(data(signedIn));
        texts.set(signedIn, text);
        send(client, 'stats', text);
      }
    },
    sendRows: () => clients.forEach(sendMissing),
    sendKeepAlive: () => clients.forEach(({ response }) => response.write(': still here\n\n')),
    dropSessions(isOut) {
      for (const client of clients) if (client.session && isOut(client.session)) drop(client, 'signed_out');
    },
    sessions: () => [...clients].flatMap(({ session }) => (session ? [session] : [])),
    close: () => clients.forEach((client) => drop(client, 'stopping')),
  };
}

/** Whether one more listener would be too many. */
function isFull(places: ReadonlyMap<ServerResponse, Listener>, { session }: Listener): boolean {
  if (places.size >= MAX_STREAMS) return true;
  const anonymous = [...places.values()].filter((listener) => listener.session === undefined);
  return session === undefined && anonymous.length >= MAX_ANONYMOUS_STREAMS;
}

/** Has the log followed until the response is closed. @returns `false` where it has been closed by then */
async function followWhileOpen(log: Pick<RecentLog, 'follow'>, response: ServerResponse): Promise<boolean> {
  const unfollow = await log.follow();
  if (response.destroyed) unfollow();
  else response.once('close', unfollow);
  return !response.destroyed;
}
