import type {
  ByeMessage,
  LogMessage,
  SessionState,
  SnapshotMessage,
  StatsMessage,
} from '@lontar/shared/dashboard-contract.ts';
import { reconnectDelay } from './connection.ts';
import * as live from './live-state.ts';

/** An open socket without a word for this long is given up, ms. */
const GIVE_UP_MS = 30_000;

let source: EventSource | undefined;
let attempt = 0;
let retryTimer: ReturnType<typeof setTimeout> | undefined;
let lastEventId = '';
let wordAt = 0;

/**
 * Opens the live stream, and keeps it open until the page is closed.
 *
 * @param open whether the server said that it will let this page in
 */
export function startLive(open: boolean): void {
  if (open) connect();
  else void begin();
  setInterval(() => {
    live.clock.value = Date.now();
    if (live.socketOpen.value && Date.now() - wordAt > GIVE_UP_MS) void lose();
  }, 1_000);
  addEventListener('online', reconnectNow);
  document.addEventListener('visibilitychange', () => {
    // A sleeping tab's timers are late; an operator who looks at it again should not have to wait for them.
    if (document.visibilityState === 'visible' && !live.socketOpen.value) reconnectNow();
  });
}

/** Asks first whether there is anything to see: a refused stream would look like an error. */
async function begin(): Promise<void> {
  const trouble = await findTrouble();
  if (trouble === 'signedOut') live.signedOut.value = true;
  else connect();
}

/** Tries at once, as after "Retry" or a sign-in. */
export function reconnectNow(): void {
  if (live.signedOut.value) return;
  attempt = 0;
  connect();
}

/** Starts from nothing: after a sign-in or sign-out the server shows other things. */
export function startOver(): void {
  lastEventId = '';
  live.dataAt.value = undefined;
  live.since.value = Date.now();
  live.rows.value = undefined;
  live.tiles.value = undefined;
  live.fleet.value = undefined;
  live.troubles.value = [];
  live.moments.value = [];
  live.signedIn.value = false;
  live.signedOut.value = false;
  source?.close();
  live.socketOpen.value = false;
  attempt = 0;
  void begin();
}

function connect(): void {
  clearTimeout(retryTimer);
  source?.close();
  // The browser sends Last-Event-ID only when it connects again by itself.
  const after = lastEventId === '' ? '' : `?after=${encodeURIComponent(lastEventId)}`;
  const stream = new EventSource(`/dashboard/events${after}`);
  source = stream;
  stream.addEventListener('open', () => {
    wordAt = Date.now();
    attempt = 0;
    live.trouble.value = () => '';
    live.socketOpen.value = true;
  });
  stream.addEventListener('error', () => {
    if (source === stream) void lose();
  });
  const on = (event: string, take: (data: string) => void) => listen(stream, event, take);
  on('snapshot', (data) => live.takeSnapshot(JSON.parse(data) as SnapshotMessage));
  on('stats', (data) => live.takeStats(JSON.parse(data) as StatsMessage));
  on('log', (data) => live.takeRows((JSON.parse(data) as LogMessage).rows));
  on('bye', (data) => {
    if ((JSON.parse(data) as ByeMessage).reason === 'signed_out') startOver();
    else void lose();
  });
}

function listen(stream: EventSource, event: string, take: (data: string) => void): void {
  stream.addEventListener(event, ({ data, lastEventId: id }: MessageEvent<string>) => {
    if (source !== stream) return;
    wordAt = Date.now();
    if (id !== '') lastEventId = id;
    take(data);
  });
}

/** Gives the stream up, finds out why, and tries again after a while. */
async function lose(): Promise<void> {
  source?.close();
  source = undefined;
  live.socketOpen.value = false;
  clearTimeout(retryTimer);
  retryTimer = setTimeout(connect, reconnectDelay(attempt, Math.random()));
  attempt += 1;
  const trouble = await findTrouble();
  if (trouble !== 'signedOut') {
    if (!live.socketOpen.value) live.trouble.value = trouble;
    return;
  }
  clearTimeout(retryTimer);
  live.signedIn.value = false;
  live.signedOut.value = true;
}

/** Asks the server why it refused the stream; the browser does not say. */
async function findTrouble(): Promise<'signedOut' | typeof live.trouble.value> {
  try {
    const response = await fetch('/dashboard/session', { signal: AbortSignal.timeout(5_000) });
    const { status } = response;
    if (!response.ok) return (words) => words.statisticsAway(status);
    const session = (await response.json()) as SessionState;
    return session.signedIn || session.public ? (words) => words.interrupted : 'signedOut';
  } catch {
    return (words) => (navigator.onLine ? `${words.failed.unreachable}.` : words.offline);
  }
}
