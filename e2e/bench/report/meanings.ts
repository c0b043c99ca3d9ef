/** What each figure means to an operator, in one sentence, by the beginning of its name. */
const MEANINGS: readonly (readonly [beginning: string, meaning: string])[] = [
  [
    'cost of a request',
    'Processor time that one answer takes of all processes together, beside a program that only passes it on.',
  ],
  ['cost at', 'The same where few requests are under way, as most of the day: each step wakes a process.'],
  ['cost over /v1', "What OpenAI's protocol costs beside our own."],
  ['throughput', 'How many answers two busy cores give, beside a program that only passes them on.'],
  [
    'share of the bare',
    'What is left of the queue’s own speed once there is HTTP, limits, masking, money and statistics.',
  ],
  ['added latency', 'What a caller waits longer than at the model itself.'],
  ['admission', 'How long Redis, which does one thing at a time, is taken by letting one request in.'],
  ['Redis commands', 'How often Redis is asked for one answer.'],
  ['10,000 in flight: answered', 'Whether a burst of ten thousand is answered, and not refused.'],
  ['10,000 in flight: growth', 'Memory that one waiting request takes.'],
  ['first text', 'What a reader waits longer for the first word.'],
  ['time of a stream', 'Whether a stream is slowed down on its way.'],
  ['1,000 streams at once', 'Whether every stream of many arrives whole.'],
  ['1,000 streams: from', 'How old a word is when its reader gets it, with many streams.'],
  ['1,000 streams: Redis', 'How much many streams ask of Redis.'],
  ['1,000 streams: bytes', 'How often a streamed text goes to Redis.'],
  ['memory of an open stream', 'Memory that one open stream takes.'],
  ['processor time of a streamed', 'What one word of a stream costs.'],
  ['tokens a second', 'How fast streams are beside the usual proxy.'],
  ['500 callers at once: memory', 'Memory of a worker that makes five hundred calls at once.'],
  ['500 callers', 'Whether a slow model makes callers wait for one another.'],
  ['500 requests/s offered', 'Whether a default set-up keeps up with five hundred requests a second to a slow model.'],
  ['500 requests/s: memory', 'How much memory a machine needs for that.'],
  ['idle: of one core', 'What the service costs when it has nothing to do.'],
  ['idle: memory', 'How much memory it takes when it has nothing to do.'],
  ['a start', 'How long a restart keeps callers waiting.'],
  ['image', 'What a machine fetches to run it in containers.'],
  ['two workers', 'Whether another worker helps as much as the first.'],
  ['four workers', 'Whether another worker helps as much as the first.'],
];

/** @throws Error where there is none: every budget has its sentence */
export function meaningOf(name: string): string {
  const found = MEANINGS.find(([beginning]) => name.startsWith(beginning));
  if (found === undefined) throw new Error(`Nothing says what "${name}" means.`);
  return found[1];
}
