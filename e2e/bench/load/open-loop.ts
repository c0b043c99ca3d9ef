/**
 * A load generator that does not wait: it sends so many requests a second whatever becomes of those before, and counts
 * each from the moment when it was due, so that a service that falls behind cannot slow the clock down. Gets its orders
 * from `run-load.ts`; `connections` is how many a second.
 */
import { connect, type Socket } from 'node:net';
import { AnswerReader } from '../../harness/answer-reader.ts';
import type { LoadMessage, LoadPlan } from './load-plan.ts';

/** How long after the last request its answer is waited for, ms. */
const LAST_ANSWERS_MS = 60_000;
const TICK_MS = 2;

process.once('message', (plan: LoadPlan) => run(plan));

interface Line {
  readonly socket: Socket;
  /** When the request that is on it was due; undefined where none is. */
  dueAt: number | undefined;
}

function run(plan: LoadPlan): void {
  const wires = plan.requests.map((text) => Buffer.from(text));
  const latencies: number[] = [];
  const failures: Record<string, number> = {};
  const idle: Line[] = [];
  const all = new Set<Line>();
  const total = Math.round(plan.connections * plan.seconds);
  let sent = 0;
  let ended = 0;
  let isOver = false;
  const startedAt = performance.now();

  function finish(): void {
    if (isOver) return;
    isOver = true;
    clearInterval(timer);
    if (total > ended) failures['no answer'] = total - ended;
    report({ kind: 'finished', seconds: (performance.now() - startedAt) / 1000, latencies, failures });
    for (const { socket } of all) socket.destroy();
  }

  function end(line: Line, failure?: string): void {
    if (line.dueAt === undefined) return;
    if (failure === undefined) latencies.push(performance.now() - line.dueAt);
    else failures[failure] = (failures[failure] ?? 0) + 1;
    line.dueAt = undefined;
    ended += 1;
    if (ended === total) finish();
  }

  function open(): Line {
    const socket = connect({ port: plan.ports[all.size % plan.ports.length]!, host: '127.0.0.1', noDelay: true });
    const line: Line = { socket, dueAt: undefined };
    const reader = new AnswerReader();
    all.add(line);
    socket.on('data', (chunk: Buffer) => {
      if (isOver || !reader.take(chunk)) return;
      end(line, reader.status === 200 ? undefined : `status ${reader.status}`);
      reader.reset();
      idle.push(line);
    });
    socket.on('error', () => undefined);
    socket.on('close', () => {
      end(line, 'connection');
      all.delete(line);
      const at = idle.indexOf(line);
      if (at >= 0) idle.splice(at, 1);
    });
    return line;
  }

  function tick(): void {
    const now = performance.now();
    for (; sent < total; sent++) {
      const dueAt = startedAt + (sent * 1000) / plan.connections;
      if (dueAt > now) return;
      const line = idle.pop() ?? open();
      line.dueAt = dueAt;
      line.socket.write(wires[sent % wires.length]!);
    }
    clearInterval(timer);
    setTimeout(finish, LAST_ANSWERS_MS).unref();
  }

  report({ kind: 'started' });
  const timer = setInterval(tick, TICK_MS);
}

function report(message: LoadMessage): void {
  process.send?.(message, () => {
    if (message.kind === 'finished') process.disconnect();
  });
}
