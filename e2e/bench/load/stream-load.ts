/**
 * Reads many streams at once, a process of its own: checks that each is whole and in order, and when its text came. Gets
 * its orders from `run-streams.ts`.
 */
import { Agent, type IncomingMessage, request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { createMasker } from '../../../worker/src/masking/mask.ts';
import { promptForStream, streamTokens } from '../wish.ts';
import { RECEIVED_STEP_MS, type StreamMessage, type StreamPlan, type StreamSeen } from './stream-plan.ts';

process.once('message', (plan: StreamPlan) => void run(plan));

const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });

async function run(plan: StreamPlan): Promise<void> {
  const tokens = streamTokens(plan.wish.tokens);
  const expected = tokens.join('');
  const startedAt = performance.now();
  let opened = 0;
  const noteOpened = () => {
    opened++;
    if (opened === plan.streams) say({ kind: 'opened' });
  };
  const received = countReceived(performance.timeOrigin + startedAt);
  const readers = Array.from({ length: plan.streams }, async (_, number) => {
    await delay((number * plan.rampMs) / plan.streams);
    const reads: NamedRead[] = [];
    for (let turn = 0; turn < plan.turns; turn++) {
      const name = `s${process.pid}x${number}x${turn}`;
      const read = await readStream(plan, name, expected, turn === 0 ? noteOpened : () => undefined);
      received.add(read);
      reads.push({ name, read });
    }
    return reads;
  });
  const reads = (await Promise.all(readers)).flat();
  const seconds = (performance.now() - startedAt) / 1_000;
  agent.destroy();
  const looked = await lookAtAll(plan, reads, tokens);
  say({ kind: 'finished', ...looked, ...received.all(), seconds });
}

/** Only once all have been read: to ask for the times takes as long as to read some streams, and would make others late. */
async function lookAtAll(plan: StreamPlan, reads: readonly NamedRead[], tokens: readonly string[]) {
  const ends = endsOf(tokens);
  const shownWith = tokensThatShow(tokens);
  const gaps: number[] = [];
  const besideGaps: number[] = [];
  const seen: StreamSeen[] = [];
  for (const { name, read } of reads) {
    const times = await timesOf(plan, name);
    const shown = shownWith.map((token) => times[token] ?? Number.NaN);
    gaps.push(...gapsOf(read, times, ends));
    besideGaps.push(...gapsOf(read, shown, ends));
    seen.push({ ...read.seen, withheldMs: (shown[0] ?? Number.NaN) - (times[0] ?? Number.NaN) });
  }
  return { seen, gaps: sorted(gaps), besideGaps: sorted(besideGaps) };
}

interface ReadStream {
  readonly seen: Omit<StreamSeen, 'withheldMs'>;
  /** How much of the text was here, and when, Unix ms. */
  readonly arrivals: readonly (readonly [length: number, at: number])[];
}

interface NamedRead {
  readonly name: string;
  readonly read: ReadStream;
}

function readStream(plan: StreamPlan, name: string, expected: string, onFirst: () => void): Promise<ReadStream> {
  const body = JSON.stringify({
    model: 'ai-2.5-flash',
    stream: true,
    messages: [{ role: 'user', content: promptForStream(plan.wish, name) }],
  });
  const startedAt = performance.now();
  const arrivals: [number, number][] = [];
  let firstMs = Number.NaN;
  const text = createTextReader(() => {
    if (arrivals.length === 0) {
      firstMs = performance.now() - startedAt;
      onFirst();
    }
    arrivals.push([text.text.length, performance.timeOrigin + performance.now()]);
  });
  return new Promise((resolve) => {
    const finish = (trouble?: string) => {
      if (arrivals.length === 0) onFirst();
      const broken = trouble ?? text.problem(expected);
      const wholeMs = performance.now() - startedAt;
      resolve({ seen: { firstMs, wholeMs, ...(broken !== undefined && { broken }) }, arrivals });
    };
    const { port, path, headers } = plan;
    const options = { host: '127.0.0.1', port, path, method: 'POST', agent };
    const sent = request(
      { ...options, headers: { 'content-type': 'application/json', 'content-length': body.length, ...headers } },
      (response: IncomingMessage) => {
        response.setEncoding('utf8');
        response.on('data', text.take);
        response.once('end', () => finish(response.statusCode === 200 ? undefined : `status ${response.statusCode}`));
        response.once('error', () => finish('connection lost'));
      },
    );
    sent.once('error', () => finish('connection failed'));
    sent.end(body);
  });
}

/** Takes the text out of chunks of OpenAI's form. */
function createTextReader(onText: () => void) {
  let rest = '';
  let end: 'open' | 'finished' | 'done' = 'open';
  const reader = {
    text: '',
    take(piece: string): void {
      const lines = (rest + piece).split('\n');
      rest = lines.pop() ?? '';
      const before = reader.text.length;
      for (const line of lines) readLine(line);
      if (reader.text.length > before) onText();
    },
    problem(expected: string): string | undefined {
      if (end !== 'done') return 'it did not end';
      return reader.text === expected ? undefined : 'its text is another';
    },
  };
  function readLine(line: string): void {
    if (!line.startsWith('data: ')) return;
    if (line === 'data: [DONE]') {
      if (end === 'finished') end = 'done';
      return;
    }
    const { choices } = JSON.parse(line.slice(6)) as Chunk;
    reader.text += choices?.[0]?.delta?.content ?? '';
    if (choices?.[0]?.finish_reason) end = 'finished';
  }
  return reader;
}

interface Chunk {
  readonly choices?: readonly { readonly delta?: { readonly content?: string }; readonly finish_reason?: string }[];
}

async function timesOf({ upstreamPort }: StreamPlan, name: string): Promise<number[]> {
  const answer = await fetch(`http://127.0.0.1:${upstreamPort}/times/${name}`);
  return (await answer.json()) as number[];
}

function sorted(values: readonly number[]): Float64Array {
  return Float64Array.from(values).sort();
}

/** With which token masking can show each: the one after which it withholds nothing of it any more, or the last one. */
function tokensThatShow(tokens: readonly string[]): number[] {
  const pieces = createMasker().createPieces();
  const ends = endsOf(tokens);
  const shownWith: number[] = [];
  let shown = 0;
  for (const [index, token] of tokens.entries()) {
    shown += pieces.push(token).length;
    while (shownWith.length < tokens.length && (ends[shownWith.length] ?? 0) <= shown) shownWith.push(index);
  }
  while (shownWith.length < tokens.length) shownWith.push(tokens.length - 1);
  return shownWith;
}

/** Where each token ends in the text. */
function endsOf(tokens: readonly string[]): number[] {
  let end = 0;
  return tokens.map((token) => {
    end += token.length;
    return end;
  });
}

function gapsOf({ arrivals, seen }: ReadStream, times: readonly number[], ends: readonly number[]): number[] {
  if (seen.broken !== undefined) return [];
  let arrival = 0;
  return times.map((at, index) => {
    while (arrival < arrivals.length - 1 && (arrivals[arrival]?.[0] ?? 0) < (ends[index] ?? 0)) arrival++;
    return (arrivals[arrival]?.[1] ?? Number.NaN) - at;
  });
}

/** How much text came when. */
function countReceived(startedAt: number) {
  const received: number[] = [];
  return {
    add({ arrivals }: ReadStream): void {
      let before = 0;
      for (const [length, at] of arrivals) {
        const step = Math.floor((at - startedAt) / RECEIVED_STEP_MS);
        while (received.length <= step) received.push(0);
        received[step] = (received[step] ?? 0) + length - before;
        before = length;
      }
    },
    all: () => ({ startedAt, received: Float64Array.from(received) }),
  };
}

function say(message: StreamMessage): void {
  process.send?.(message, () => {
    if (message.kind === 'finished') process.disconnect();
  });
}
