import { spawn } from 'node:child_process';
import type { Environment } from '@lontar/shared/config/read-config.ts';
import { systemEnvironment } from '../settings/services.ts';

/**
 * Redis cannot watch the launcher as the services do, so a shell does: when the launcher is gone (the pipe closes) and
 * the services have had time to finish, it asks Redis to stop. $1: Redis, $2: folder of the pid files, $3: seconds.
 */
const WATCH_SCRIPT = `
read -r _ <&3
waited=0
while [ "$waited" -lt "$3" ]; do
  busy=
  for file in "$2"/gateway-*.pid "$2"/worker-*.pid "$2"/stats-service.pid; do
    if [ -f "$file" ] && kill -0 "$(cat "$file")" 2>/dev/null; then busy=1; fi
  done
  [ -n "$busy" ] || break
  sleep 1
  waited=$((waited + 1))
done
kill -TERM "$1"
`;

export interface RedisTether {
  /** Watches over this Redis from now on, instead of an earlier one. */
  attach(redisPid: number): void;
  /** Ends the watch: Redis is stopped in order. */
  release(): void;
}

export function createRedisTether(runFolder: string, drainMs: number, environment: Environment): RedisTether {
  let release = () => {};
  return {
    attach(redisPid) {
      release();
      const seconds = String(Math.ceil(drainMs / 1000));
      const watch = spawn('sh', ['-c', WATCH_SCRIPT, 'lontar-redis-tether', String(redisPid), runFolder, seconds], {
        env: systemEnvironment(environment),
        stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
        detached: true,
      });
      watch.on('error', () => undefined);
      watch.unref();
      release = () => void watch.kill('SIGKILL');
    },
    release: () => release(),
  };
}
