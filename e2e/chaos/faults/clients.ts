import { loadFor } from '../../harness/load.ts';
import type { Stack } from '../../harness/stack.ts';
import { type LedgerEntry, tookMs } from '../ledger.ts';
import { percentile } from '../report.ts';
import { judgeAnswers, onSystem, type Scenario, type ScenarioContext } from '../scenario.ts';
import { startSlowAttack } from '../slow-attack.ts';
import type { System } from '../system.ts';

/** Others' latency is compared in turns of this length, so that a busy machine is busy for both. */
const TURN_SECONDS = 10;

interface SlowKind {
  readonly about: string;
  /** What each of them sends at first. */
  first(system: System): string;
  /** What each of them sends every second. */
  readonly drop: string;
}

/** As long as slow ones are let in: they are then cut, and come, one after the other. */
const RAMP_MS = 8_000;

/** The path of a long file, where a system has one. */
const files = new WeakMap<Stack, string>();

const SLOW = {
  headers: {
    about: 'send their headers byte by byte',
    first: () => 'GET /api/ai?prompt=x HTTP/1.1\r\nHost: x\r\nX-A: ',
    drop: 'a',
  },
  body: {
    about: 'send a prompt byte by byte',
    first: ({ keys }) =>
      `POST /api/ai HTTP/1.1\r\nHost: x\r\nX-API-Key: ${keys[0]?.key}\r\nContent-Type: application/json\r\nContent-Length: 5000\r\n\r\n{"prompt":"`,
    drop: 'a',
  },
  upload: {
    about: 'send a file byte by byte',
    first: ({ keys }) =>
      `POST /api/upload HTTP/1.1\r\nHost: x\r\nX-API-Key: ${keys[0]?.key}\r\nContent-Type: multipart/form-data; boundary=b\r\n` +
      'Content-Length: 100000\r\n\r\n--b\r\nContent-Disposition: form-data; name="file"; filename="f"\r\n\r\n',
    drop: 'a',
  },
  reading: {
    about: 'ask for a long file and do not read it',
    first: ({ stack, keys }) => `GET ${files.get(stack)} HTTP/1.1\r\nHost: x\r\nX-API-Key: ${keys[0]?.key}\r\n\r\n`,
    drop: '',
  },
} as const satisfies Record<string, SlowKind>;

export const clientScenarios: readonly Scenario[] = (['headers', 'body', 'upload', 'reading'] as const).map(
  (what): Scenario => ({
    name: `slow-${what}`,
    about: `Clients that ${SLOW[what].about}, while others go on.`,
    run: (context) =>
      onSystem(context, { settings: { LOG_REQUESTS: 'false' } }, (system) => slowClients(context, system, what)),
  }),
);

/** Longer than what the kernel takes for a client that does not read. */
const FILE_BYTES = 10_000_000;

async function uploadFile({ stack, keys }: System): Promise<void> {
  const body = new FormData();
  body.set('file', new Blob([Buffer.alloc(FILE_BYTES, 'text ')]), 'long.txt');
  const headers = { 'x-api-key': keys[0]?.key ?? '' };
  const response = await fetch(new URL('/api/upload', stack.url), { method: 'POST', headers, body });
  const { result } = (await response.json()) as { result: { id: string } };
  files.set(stack, `/files/${result.id}`);
}

async function slowClients({ report, quick }: ScenarioContext, system: System, what: keyof typeof SLOW): Promise<void> {
  system.behave((nonce) => system.answer(nonce, 20));
  const perSecond = quick ? 40 : 100;
  const others = async () => loadFor(TURN_SECONDS, perSecond, () => system.send());
  await loadFor(quick ? 2 : 5, perSecond, () => system.send());
  if (what === 'reading') await uploadFile(system);
  const { hostname: host, port } = new URL(system.stack.url);
  const { first, drop } = SLOW[what];
  // What is not read waits in the memory of the kernel.
  const clients = quick || what === 'reading' ? 100 : 1_000;
  const alone: LedgerEntry[] = [];
  const beside: LedgerEntry[] = [];
  const cutMs: number[] = [];
  for (let turn = 0; turn < (quick ? 1 : 3); turn++) {
    alone.push(...(await others()));
    const attack = startSlowAttack({
      host,
      port: Number(port),
      clients,
      rampMs: quick ? 1_000 : RAMP_MS,
      first: first(system),
      drop,
    });
    await attack.connected;
    beside.push(...(await others()));
    cutMs.push(...(await attack.end(30_000)));
  }
  report.fact('slow clients at once', clients);
  report.fact('slow clients cut', cutMs.length);
  report.timed('cut within, the last', Math.max(...cutMs), { atMost: 10_000 });
  judgeAnswers(report, [...alone, ...beside]);
  const p99 = (entries: readonly LedgerEntry[]) => percentile(entries.map(tookMs), 0.99);
  report.timed("others' p99 alone", p99(alone));
  report.timed("others' p99 beside them", p99(beside));
  // Who does not read is sent what fits into the kernel's buffers, megabytes each: that is work, and others see it.
  const bound = what === 'reading' ? undefined : { atMost: 10 };
  report.timed('growth', (p99(beside) / p99(alone) - 1) * 100, bound, '%');
}
