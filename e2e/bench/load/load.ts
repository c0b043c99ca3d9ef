/**
 * The load generator, a process of its own: keeps a number of connections busy with one request each, over plain
 * sockets, because an HTTP client would cost as much as what is measured. Gets its orders from `run-load.ts`.
 */
import { connect, type Socket } from 'node:net';
import { AnswerReader } from '../../harness/answer-reader.ts';
import type { LoadMessage, LoadPlan } from './load-plan.ts';

const RETRY_CONNECT_MS = 50;

process.once('message', (plan: LoadPlan) => run(plan));

function run(plan: LoadPlan): void {
  const latencies: number[] = [];
  const failures: Record<string, number> = {};
  const sockets = new Set<Socket>();
  let measuring = false;
  let ending = false;
  let begun = 0;
  let answered = 0;
  let startedAt = 0;
  const wires = plan.requests.map((text) => Buffer.from(text));

  function finish(): void {
    if (ending) return;
    ending = true;
    const seconds = (performance.now() - startedAt) / 1000;
    report({ kind: 'finished', seconds, latencies, failures });
    for (const socket of sockets) socket.destroy();
  }

  function fail(what: string): void {
    if (measuring && !ending) failures[what] = (failures[what] ?? 0) + 1;
  }

  function noteEnd(): void {
    answered += 1;
    if (plan.most !== undefined && answered >= plan.most) finish();
  }

  function open(port: number): void {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    const reader = new AnswerReader();
    let sentAt = 0;
    let isWaiting = false;
    const ask = () => {
      if (ending || (plan.most !== undefined && begun >= plan.most)) return;
      const bytes = wires[begun % wires.length]!;
      begun += 1;
      sentAt = performance.now();
      isWaiting = true;
      socket.write(bytes);
    };
    sockets.add(socket);
    socket.on('connect', ask);
    socket.on('data', (chunk: Buffer) => {
      if (ending || !reader.take(chunk)) return;
      // Also what was sent before: else answers that take long would be missing from the count.
      if (measuring) {
        if (reader.status === 200) latencies.push(performance.now() - sentAt);
        else fail(`status ${reader.status}`);
      }
      reader.reset();
      isWaiting = false;
      noteEnd();
      ask();
    });
    socket.on('error', () => fail('connection'));
    socket.on('close', () => {
      sockets.delete(socket);
      if (isWaiting) noteEnd();
      if (!ending) setTimeout(open, RETRY_CONNECT_MS, port);
    });
  }

  function measure(): void {
    measuring = true;
    startedAt = performance.now();
    report({ kind: 'started' });
    setTimeout(finish, plan.seconds * 1000);
  }

  if (plan.warmUpSeconds === 0) measure();
  else setTimeout(measure, plan.warmUpSeconds * 1000);
  for (let index = 0; index < plan.connections; index++) open(plan.ports[index % plan.ports.length]!);
}

function report(message: LoadMessage): void {
  process.send?.(message, () => {
    if (message.kind === 'finished') process.disconnect();
  });
}
