/** How the page stands to the server, in the order in which things get worse. */
export type Connection = 'connecting' | 'live' | 'reconnecting' | 'stale' | 'disconnected';

/** An open socket without data for this long is stale, ms. The server sends at least every 5 s. */
const STALE_MS = 20_000;
/** Without data for this long the page says that it is cut off, ms. */
const DISCONNECTED_MS = 30_000;

/**
 * The state of the connection, judged by the age of the data and not by the socket alone: a socket may stay open for
 * minutes after the other side is gone.
 *
 * @param dataAt when data last came, by this page's clock, ms; absent before the first
 * @param since when this page began to wait for its first data, ms
 */
export function connectionState(options: {
  readonly socketOpen: boolean;
  readonly dataAt: number | undefined;
  readonly since: number;
  readonly now: number;
}): Connection {
  const age = options.now - (options.dataAt ?? options.since);
  if (age >= DISCONNECTED_MS) return 'disconnected';
  if (options.dataAt === undefined) return 'connecting';
  if (!options.socketOpen) return 'reconnecting';
  return age >= STALE_MS ? 'stale' : 'live';
}

/**
 * How long to wait before the next attempt, ms: doubling to 10 s, with jitter, so that pages do not come back at once.
 *
 * @param random 0 to 1
 */
export function reconnectDelay(attempt: number, random: number): number {
  return Math.round(Math.min(500 * 2 ** attempt, 10_000) * (0.5 + random / 2));
}
