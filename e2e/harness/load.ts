import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from './eventually.ts';

export interface Load {
  /** Until `count` more have been answered than when it is asked, or one failed. */
  untilAnswered(count: number): Promise<void>;
  /** Lets the callers finish what they have begun. */
  stop(): Promise<{ readonly answered: number; readonly failures: readonly string[] }>;
}

/** Callers that send one request after the other until they are told to stop; anything but 200 is a failure. */
export function startLoad(callers: number, send: (prompt: string) => Promise<{ readonly status: number }>): Load {
  let stopped = false;
  let answered = 0;
  const failures: string[] = [];
  const call = async () => {
    while (!stopped) {
      const outcome = await send('under load').then(
        ({ status }) => status,
        (error: unknown) => String(error),
      );
      if (outcome === 200) answered++;
      else failures.push(String(outcome));
      await delay(20);
    }
  };
  const running = Array.from({ length: callers }, call);
  return {
    async untilAnswered(count) {
      const enough = answered + count;
      await eventually(async () => answered >= enough || failures.length > 0, 60_000);
    },
    async stop() {
      stopped = true;
      await Promise.all(running);
      return { answered, failures };
    },
  };
}
