import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** What an attacker knows: where the service is, and a key if it has one. */
export interface AttackTarget {
  readonly host: string;
  readonly port: number;
  /** Addresses that the attacker's connections come from, in turn; loopback ones. */
  readonly from: readonly string[];
  /** Absent for who has none. */
  readonly key?: string;
  /** Of a long streamed answer of that key's. */
  readonly completionId?: string;
  /** Connections, or callers, at once. */
  readonly clients: number;
}

export type AttackName =
  | 'hostile-prompts'
  | 'one-byte-chunks'
  | 'large-bodies'
  | 'slow-sign-ins'
  | 'bad-keys'
  | 'code-bodies'
  | 'dotted-names'
  | 'health-flood'
  | 'guessed-files'
  | 'idle-connections'
  | 'unread-pages'
  | 'unread-streams'
  | 'unread-answers'
  | 'one-byte-readers'
  | 'open-streams'
  | 'pages';

/** What came of an attack: answers by status, and connections that ended without one. */
export interface AttackTally {
  readonly statuses: Readonly<Record<string, number>>;
  readonly broken: number;
}

export interface RunningAttack {
  /** Resolves when it goes on at its full strength. */
  readonly begun: Promise<void>;
  /** Stops it, and tells what came of it. */
  end(): Promise<AttackTally>;
}

/** Runs an attack in a process of its own, so that what it costs the tester does not show in what others see. */
export function startAttack(name: AttackName, target: AttackTarget): RunningAttack {
  const script = fileURLToPath(new URL('./attack-main.ts', import.meta.url));
  const child = fork(script, [name, JSON.stringify(target)], { execArgv: ['--disable-warning=ExperimentalWarning'] });
  const begun = Promise.withResolvers<void>();
  const tallied = Promise.withResolvers<AttackTally>();
  child.on('message', (news: 'begun' | AttackTally) => (news === 'begun' ? begun.resolve() : tallied.resolve(news)));
  child.once('exit', (code) => {
    const error = new Error(`the attack "${name}" ended by itself (${code})`);
    begun.reject(error);
    tallied.reject(error);
  });
  // What waits for one of the two sees the end there.
  begun.promise.catch(() => undefined);
  tallied.promise.catch(() => undefined);
  return {
    begun: begun.promise,
    async end() {
      child.send('end');
      const tally = await tallied.promise;
      child.kill('SIGKILL');
      return tally;
    },
  };
}
