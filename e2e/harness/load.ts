import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from './eventually.ts';

/** How requests follow each other. */
export type Pace =
  /** At a steady rate, whatever becomes of them, as clients on the outside do. */
  | { readonly perSecond: number }
  /** So many clients, each of which sends its next request once the last one is answered. */
  | { readonly clients: number };

export interface Load<Outcome> {
  /** What became of the requests that have ended. */
  readonly outcomes: readonly Outcome[];
  /** Sends no more, and waits for the answers. */
  stop(): Promise<readonly Outcome[]>;
}

/** What became of requests of which each has to succeed. */
export interface LoadResult {
  readonly answered: number;
  /** Statuses other than 200 with what was said, and errors. */
  readonly failures: readonly string[];
}

/** Between an answer and the next request of the same client, ms. */
const PAUSE_MS = 20;
/** Between two looks at how many requests are due, ms. */
const TICK_MS = 5;

/** Sends requests until it is stopped. @param send one request; it must not reject */
export function startLoad<Outcome>(pace: Pace, send: () => Promise<Outcome>): Load<Outcome> {
  const outcomes: Outcome[] = [];
  const open = new Set<Promise<void>>();
  let stopped = false;
  const sendOne = (): Promise<void> => {
    const request = send().then((outcome) => {
      outcomes.push(outcome);
      open.delete(request);
    });
    open.add(request);
    return request;
  };
  const client = async () => {
    while (!stopped) {
      await sendOne();
      await delay(PAUSE_MS);
    }
  };
  const steady = async (perSecond: number) => {
    const startedAt = performance.now();
    for (let sent = 0; !stopped; await delay(TICK_MS)) {
      // As many as are due by now: a tester that was late catches up.
      const due = Math.floor(((performance.now() - startedAt) / 1000) * perSecond);
      for (; sent < due; sent++) void sendOne();
    }
  };
  const senders = 'clients' in pace ? Array.from({ length: pace.clients }, client) : [steady(pace.perSecond)];
  return {
    outcomes,
    async stop() {
      stopped = true;
      await Promise.all(senders);
      await Promise.all(open);
      return outcomes;
    },
  };
}

/** Sends at a steady rate for a while. */
export async function loadFor<Outcome>(
  seconds: number,
  perSecond: number,
  send: () => Promise<Outcome>,
): Promise<readonly Outcome[]> {
  const load = startLoad({ perSecond }, send);
  await delay(seconds * 1000);
  return load.stop();
}

/** Clients of whose requests each has to succeed: anything but 200 is a failure. */
export function startClients(
  clients: number,
  send: (prompt: string) => Promise<{ readonly status: number; readonly text?: string; readonly body?: unknown }>,
) {
  const load = startLoad({ clients }, () =>
    send('under load').then(
      ({ status, text, body }) => (status === 200 ? '200' : `${status} ${text ?? JSON.stringify(body)}`),
      (error: unknown) => String(error),
    ),
  );
  const result = (): LoadResult => {
    const failures = load.outcomes.filter((outcome) => outcome !== '200');
    return { answered: load.outcomes.length - failures.length, failures };
  };
  return {
    /** Waits until `count` more have been answered than now, or one failed. */
    async untilAnswered(count: number): Promise<void> {
      const enough = result().answered + count;
      await eventually(async () => result().answered >= enough || result().failures.length > 0);
    },
    /** Lets the clients finish what they have begun. */
    async stop(): Promise<LoadResult> {
      await load.stop();
      return result();
    },
  };
}
