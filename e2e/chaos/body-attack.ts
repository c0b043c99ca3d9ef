import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** Connections that send a request's head and then the same bytes for as long as they are let; who is cut connects again. */
export interface BodyAttack {
  readonly host: string;
  readonly port: number;
  /** The address that they come from. */
  readonly from: string;
  readonly connections: number;
  readonly head: string;
  /** Sent again and again. */
  readonly piece: string;
  /** How long each waits between two pieces, ms; 0 sends as fast as it can. */
  readonly everyMs: number;
}

export interface RunningBodyAttack {
  /** How often each status has come back, and how many connections ended without an answer. */
  answers(): Promise<Record<string, number>>;
  end(): void;
}

/** Begins an attack from a process of its own: what it costs the tester must not show in what others see. */
export function startBodyAttack(attack: BodyAttack): RunningBodyAttack {
  const script = fileURLToPath(new URL('./body-attack-main.ts', import.meta.url));
  const child = fork(script, [JSON.stringify(attack)], { execArgv: ['--disable-warning=ExperimentalWarning'] });
  return {
    answers: () =>
      new Promise((resolve) => {
        child.once('message', (counts) => resolve(counts as Record<string, number>));
        child.send('answers');
      }),
    end: () => void child.kill('SIGKILL'),
  };
}
