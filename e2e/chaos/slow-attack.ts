import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** Clients that connect one after the other and then send next to nothing; who is cut connects again. */
export interface Attack {
  readonly host: string;
  readonly port: number;
  readonly clients: number;
  /** How long they take until all are there. */
  readonly rampMs: number;
  /** What each of them sends at first. */
  readonly first: string;
  /** What each of them sends every second; where it is empty they send nothing, and do not read. */
  readonly drop: string;
}

export type AttackNews =
  | { readonly kind: 'all connected' | 'all cut' }
  | { readonly kind: 'cut'; readonly cutMs: number };

export interface RunningAttack {
  /** Resolves when all of them are there. */
  readonly connected: Promise<void>;
  /**
   * Lets no client connect again, and waits until the last was cut.
   *
   * @returns how long each was let in, ms; with the time waited in the place of those that were not cut
   */
  end(waitMs: number): Promise<readonly number[]>;
}

/** Begins an attack from a process of its own. */
export function startSlowAttack(attack: Attack): RunningAttack {
  const script = fileURLToPath(new URL('./slow-attack-main.ts', import.meta.url));
  const child = fork(script, [JSON.stringify(attack)], { execArgv: ['--disable-warning=ExperimentalWarning'] });
  const cuts: number[] = [];
  const connected = Promise.withResolvers<void>();
  const allCut = Promise.withResolvers<void>();
  child.on('message', (news: AttackNews) => {
    if (news.kind === 'cut') cuts.push(news.cutMs);
    else if (news.kind === 'all cut') allCut.resolve();
    else connected.resolve();
  });
  child.on('exit', () => connected.reject(new Error('the attack ended by itself')));
  return {
    connected: connected.promise,
    async end(waitMs) {
      child.send('no more');
      const timer = setTimeout(() => {
        cuts.push(waitMs);
        allCut.resolve();
      }, waitMs);
      await allCut.promise;
      clearTimeout(timer);
      child.removeAllListeners('exit');
      child.kill('SIGKILL');
      return cuts;
    },
  };
}
