/** What each figure means to an operator, in one sentence, by the beginning of its name. */
const MEANINGS: readonly (readonly [beginning: string, meaning: string])[] = [
  [
    'cost of a request',
    'Processor time of all processes for one answer, compared with a program that only passes it on.',
  ],
  [
    'cost at',
    'The same with few requests at a time, as for most of the day: then little is done together, and caches are cold.',
  ],
  ['cost over /v1', "The cost of a request in OpenAI's protocol, compared with our own."],
  ['throughput', 'How many answers two busy cores give, compared with a program that only passes them on.'],
  [
    'share of the bare',
    'What is left of the queue’s own speed after HTTP, limits, masking, charging and statistics were added.',
  ],
  ['added latency', 'How much longer a caller waits than for the model itself.'],
  ['admission', 'How long Redis, which does one thing at a time, is busy with the admission of one request.'],
  ['Redis commands', 'How many commands Redis gets for one answer.'],
  ['10,000 in flight: answered', 'Whether a burst of ten thousand requests is answered instead of refused.'],
  ['10,000 in flight: growth', 'Memory that one waiting request takes.'],
  ['first text', 'How much longer a reader waits for the first word.'],
  ['time of a stream', 'Whether the service makes a stream slower.'],
  ['1,000 streams at once', 'Whether each of many streams arrives whole.'],
  ['1,000 streams: from', 'How long a word takes from the upstream to its reader, with many streams.'],
  ['1,000 streams: Redis', 'How many commands Redis gets from many streams.'],
  ['1,000 streams: bytes', 'How many bytes Redis gets for each byte of streamed text.'],
  ['memory of an open stream', 'Memory that one open stream takes.'],
  ['processor time of a streamed', 'Processor time of all processes for one word of a stream.'],
  ['tokens a second', 'How fast streams are, compared with the usual proxy.'],
  ['500 callers at once: memory', 'Memory of a worker that makes five hundred calls at once.'],
  ['500 callers', 'Whether a slow model makes callers wait for one another.'],
  ['500 requests/s offered', 'Whether the default set-up can answer five hundred requests a second with a slow model.'],
  ['500 requests/s: memory', 'How much memory a machine needs for that.'],
  ['idle: of one core', 'Processor time that the service takes without requests.'],
  ['idle: memory', 'Memory that the service takes without requests.'],
  ['a start', 'How long callers wait during a restart.'],
  ['image', 'How much a machine downloads to run the service in containers.'],
  ['two workers', 'Whether a second worker helps as much as the first.'],
  ['four workers', 'Whether further workers help as much as the first.'],
];

/** @throws Error where there is none: every budget has its sentence */
export function meaningOf(name: string): string {
  const found = MEANINGS.find(([beginning]) => name.startsWith(beginning));
  if (found === undefined) throw new Error(`Nothing says what "${name}" means.`);
  return found[1];
}
