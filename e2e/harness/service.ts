import type { ChildProcess } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { createInterface } from 'node:readline';
import { end, endWithUs, launch } from './launch.ts';

/** One real process of the service under test. */
export interface Service {
  readonly name: string;
  readonly process: ChildProcess;
  /** Everything it has written, as one text. */
  logs(): string;
  /** Resolves with the first log line, past or to come, whose message is this. */
  logged(message: string): Promise<Record<string, unknown>>;
  /** Sends a signal and waits for the end. */
  end(signal: NodeJS.Signals): Promise<number | null>;
}

/** Starts a service's `main.ts` with exactly this environment; of another checkout where a folder is given. */
export function startService(
  name: string,
  main: string,
  environment: Record<string, string>,
  { wrapper = [], folder }: { readonly wrapper?: readonly string[]; readonly folder?: string } = {},
): Service {
  const child = launch([main], {
    environment,
    stdio: ['ignore', 'pipe', 'pipe'],
    wrapper,
    ...(folder !== undefined && { folder }),
  });
  endWithUs(child);
  const lines: string[] = [];
  const arrived = new EventEmitter();
  arrived.setMaxListeners(0);
  for (const stream of [child.stdout, child.stderr]) {
    if (!stream) continue;
    createInterface({ input: stream }).on('line', (line) => {
      lines.push(line);
      arrived.emit('line', line);
    });
  }
  return {
    name,
    process: child,
    logs: () => lines.join('\n'),
    logged: (message) => firstLine(child, lines, arrived, message, name),
    end: (signal) => end(child, signal),
  };
}

function firstLine(
  child: ChildProcess,
  lines: readonly string[],
  arrived: EventEmitter,
  message: string,
  name: string,
): Promise<Record<string, unknown>> {
  return new Promise((resolve, reject) => {
    const look = (line: string): boolean => {
      const record = parseLine(line);
      if (record?.['msg'] !== message) return false;
      arrived.off('line', look);
      resolve(record);
      return true;
    };
    if (lines.some(look)) return;
    arrived.on('line', look);
    child.once('exit', () => {
      reject(new Error(`${name} ended without saying "${message}":\n${lines.slice(-20).join('\n')}`));
    });
  });
}

function parseLine(line: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(line) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}
