import { spawn } from 'node:child_process';
import type { Environment } from '@lontar/shared/config/read-config.ts';
import { findProgram } from '../system/programs.ts';

/** What systemd is told of a service that it started. */
export interface SystemdNotes {
  /** That everything runs; from then on it is told again and again that the launcher does, for its watchdog. */
  ready(): void;
  stopping(): void;
}

/**
 * Notes for the systemd that started this process; nothing where none did. They go through its own program, because Node
 * has no datagrams on Unix sockets.
 */
export function systemdNotes(environment: Environment): SystemdNotes {
  const socket = environment['NOTIFY_SOCKET'];
  const program = findProgram(['systemd-notify'], environment['PATH']);
  if (!socket || program === undefined) return { ready: () => undefined, stopping: () => undefined };
  const say = (note: string) => {
    // A note that cannot be sent is missed by systemd, which acts on that.
    spawn(program, [note], { env: { NOTIFY_SOCKET: socket }, stdio: 'ignore' }).on('error', () => undefined);
  };
  let watchdog: NodeJS.Timeout | undefined;
  return {
    ready() {
      say('READY=1');
      const everyMs = Number(environment['WATCHDOG_USEC'] ?? 0) / 3_000;
      if (everyMs > 0) watchdog = setInterval(() => say('WATCHDOG=1'), everyMs).unref();
    },
    stopping() {
      clearInterval(watchdog);
      say('STOPPING=1');
    },
  };
}
