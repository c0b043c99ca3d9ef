import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Attack, AttackNews } from './slow-attack.ts';

/** Slow clients, in a process of their own: what they cost the tester must not show in what others see. */
const attack = JSON.parse(process.argv[2] ?? '') as Attack;
const report = (news: AttackNews) => process.send?.(news);
let connected = 0;
let open = 0;
let goesOn = true;
process.on('message', () => {
  goesOn = false;
});

for (let begun = 0; begun < attack.clients; begun++) {
  await delay(attack.rampMs / attack.clients);
  void slowOnesInTurn();
}

/** Each that is cut is followed by the next, so that there are always as many. */
async function slowOnesInTurn(): Promise<void> {
  open++;
  while (goesOn) report({ kind: 'cut', cutMs: await slowClient() });
  if (--open === 0) report({ kind: 'all cut' });
}

/** Resolves when the service has cut the connection: ms from the connection to the end. */
function slowClient(): Promise<number> {
  return new Promise((resolve) => {
    const socket = connect(attack.port, attack.host);
    let startedAt = 0;
    let timer: NodeJS.Timeout | undefined;
    socket.on('connect', () => {
      startedAt = performance.now();
      socket.write(attack.first);
      if (++connected === attack.clients) report({ kind: 'all connected' });
      if (attack.drop === '') {
        socket.pause();
        // A paused socket does not see its end; a write does.
        timer = setInterval(() => socket.write('\r\n'), 500);
      } else timer = setInterval(() => socket.write(attack.drop), 1_000);
    });
    if (attack.drop !== '') socket.resume();
    socket.on('error', () => undefined);
    socket.on('close', () => {
      clearInterval(timer);
      resolve(performance.now() - startedAt);
    });
  });
}
