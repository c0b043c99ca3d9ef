import { Socket } from 'node:net';
import { isMainThread } from 'node:worker_threads';

// Loaded into each service before its own main.ts (`node --import`). The launcher holds the other end of this pipe:
// when it closes, the launcher is gone, however it died, and the service must not outlive it.
const TETHER_FD = 3;

if (isMainThread) {
  const tether = new Socket({ fd: TETHER_FD });
  tether.on('error', () => undefined);
  tether.on('close', () => process.kill(process.pid, 'SIGTERM'));
  tether.resume().unref();
}
