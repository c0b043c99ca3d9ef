import type { ChildProcess } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@lontar/shared/testing/redis-server.ts';
import { launch } from './launch.ts';

/** One `npm start`, as far as its operator sees it. */
export interface Launched {
  readonly process: ChildProcess;
  /** All that it has said, both streams in the order of their arrival. */
  said(): string;
  /** Resolves when it has said something that fits, from the given length of `said()` on. */
  says(pattern: RegExp, from?: number): Promise<RegExpExecArray>;
  /** Resolves with its exit code. */
  readonly ended: Promise<number | null>;
}

/** A folder and a port of a test's own. */
export async function newHome(): Promise<{ home: string; port: number }> {
  return { home: mkdtempSync(join(tmpdir(), 'lontar-first-run-')), port: await freePort() };
}

/** Starts the launcher the way `npm start` does, with no settings but these. */
export function npmStart(environment: Record<string, string>, args: readonly string[] = []): Launched {
  const child = launch(['cli/bootstrap.mjs', 'start', ...args], {
    environment: { MODEL_PROVIDER: 'demo', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  return listenTo(child);
}

/** What a launcher says, however it was started. */
export function listenTo(child: ChildProcess): Launched {
  let text = '';
  const arrived = new EventEmitter();
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (part: string) => {
      text += part;
      arrived.emit('text');
    });
  }
  const ended = once(child, 'close').then(([code]) => {
    arrived.emit('text');
    return code as number | null;
  });
  let over = false;
  void ended.then(() => {
    over = true;
    arrived.emit('text');
  });
  return {
    process: child,
    said: () => text,
    ended,
    async says(pattern, from = 0) {
      for (;;) {
        const found = pattern.exec(text.slice(from));
        if (found) return found;
        if (over) throw new Error(`npm start ended without saying ${pattern}:\n${text}`);
        await once(arrived, 'text');
      }
    },
  };
}

/** The processes that a home says it runs, by name. */
export function runningIn(home: string): Map<string, number> {
  const folder = join(home, 'run');
  const files = existsSync(folder) ? readdirSync(folder).filter((file) => file.endsWith('.pid')) : [];
  return new Map(files.map((file) => [file.slice(0, -4), Number(readFileSync(join(folder, file), 'utf8'))]));
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    // A container without an init process never collects the dead: they have ended all the same.
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}
