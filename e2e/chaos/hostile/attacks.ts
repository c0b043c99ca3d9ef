import { statusOf } from '../ledger.ts';
import type { ScenarioContext } from '../scenario.ts';
import type { System, SystemOptions } from '../system.ts';
import type { AttackName, AttackTally } from './attack.ts';

/** The attacker's address. Honest callers come from another one, so that limits of addresses tell them apart. */
export const ATTACKER = '127.0.0.66';
/** What a small machine gives a gateway. */
const SMALL_HEAP = { NODE_OPTIONS: '--max-old-space-size=256', MAX_CONNECTIONS_PER_ADDRESS: '200' };
/** Callers who have stayed below all limits of number so far: what is attacked must be reached, again and again. */
const WITHOUT_LIMITS = { UPLOADS_PER_DAY: '1000000', DOWNLOADS_PER_HOUR: '1000000' };
/** As installed; the tester's own stack lets all of its callers share an address. */
const OWN_CONNECTIONS = { MAX_CONNECTIONS_PER_ADDRESS: '200' };

/** An attack, and what must hold beside it. */
export interface Attack {
  readonly name: AttackName;
  readonly about: string;
  readonly clients: number;
  /** How many addresses they come from; one where not said. */
  readonly addresses?: number;
  readonly withKey?: boolean;
  /** Whether it asks for generation, which the service's numbers count. */
  readonly generates?: boolean;
  /** How many bytes of a stream the attacker has asked for before, with its key, and read. */
  readonly streamed?: number;
  readonly options?: SystemOptions;
  /** By how much the gateway may grow, MB. */
  readonly growthMb?: number;
  /** What must hold beyond honest callers being served. */
  readonly check?: (found: Found, context: ScenarioContext) => Promise<void> | void;
}

/** What came of one. */
export interface Found {
  readonly system: System;
  readonly tally: AttackTally;
  readonly seconds: number;
  /** Log lines of the gateway about requests of the attack. */
  readonly refusedLines: number;
}

export const ATTACKS: readonly Attack[] = [
  {
    name: 'hostile-prompts',
    about: 'A caller with a key sends prompts that are made to keep masking busy; the model repeats them.',
    generates: true,
    clients: 8,
    withKey: true,
    // Those of the longest that masking promises to be done with in time.
    options: { settings: { MAX_PROMPT_CHARS: '60000' } },
  },
  {
    name: 'one-byte-chunks',
    about: '14 callers without a key send bodies in chunks of one byte.',
    clients: 14,
    growthMb: 40,
    options: { settings: SMALL_HEAP },
  },
  {
    name: 'one-byte-chunks',
    about: '500 callers without a key send bodies in chunks of one byte.',
    clients: 500,
    growthMb: 100,
    options: { settings: SMALL_HEAP },
  },
  {
    name: 'large-bodies',
    about: '14 callers without a key send the largest bodies, which are no JSON.',
    clients: 14,
    growthMb: 40,
    options: { settings: OWN_CONNECTIONS },
  },
  {
    name: 'large-bodies',
    about: '500 callers without a key send the largest bodies, which are no JSON.',
    clients: 500,
    growthMb: 100,
    options: { settings: OWN_CONNECTIONS },
  },
  {
    name: 'slow-sign-ins',
    about: '520 slow sign-ins at the dashboard.',
    clients: 520,
    options: { stats: true },
  },
  {
    name: 'slow-sign-ins',
    about: '520 slow sign-ins at the dashboard, of 130 addresses.',
    clients: 520,
    addresses: 130,
    options: { stats: true, settings: OWN_CONNECTIONS },
  },
  {
    name: 'bad-keys',
    about: 'An address tries wrong keys, is banned, and goes on.',
    generates: true,
    clients: 14,
    options: { stats: true, settings: { BAN_AFTER_BAD_KEYS: '20' } },
    check: ({ refusedLines, seconds }, { report }) =>
      report.fact('log lines about refused requests, a second', refusedLines / seconds, { atMost: 15 }),
  },
  {
    name: 'code-bodies',
    about: 'A caller with a key uploads 8 pieces of code of 20 MB each at once.',
    clients: 8,
    withKey: true,
    // What V8 lets lie of what has been read and is used no more; of the bodies themselves 160 MB are under way.
    growthMb: 150,
    options: { settings: WITHOUT_LIMITS },
  },
  {
    name: 'dotted-names',
    about: 'Uploads with names of 150,000 dots.',
    clients: 4,
    withKey: true,
    options: { settings: WITHOUT_LIMITS },
  },
  { name: 'health-flood', about: 'Requests for /api/health without end.', clients: 50, options: { stats: true } },
  {
    name: 'guessed-files',
    about: 'An address guesses the ids of files.',
    clients: 14,
    options: { stats: true, settings: WITHOUT_LIMITS },
  },
  {
    name: 'idle-connections',
    about: '2,000 connections of one address that say nothing.',
    clients: 2_000,
    options: { settings: OWN_CONNECTIONS },
  },
  {
    name: 'unread-pages',
    about: '200 connections ask for the longest page 32 times each, and read nothing.',
    clients: 200,
    growthMb: 100,
    options: { stats: true, settings: { ...SMALL_HEAP, ...OWN_CONNECTIONS } },
  },
  {
    name: 'unread-streams',
    about: '100 connections ask 8 times each for a streamed answer of 4 MB once more, and read nothing.',
    clients: 100,
    withKey: true,
    streamed: 4_000_000,
    // 256 KB for each, and what lies about of an answer that was read from Redis.
    growthMb: 125,
    options: { settings: { ...SMALL_HEAP, ...OWN_CONNECTIONS } },
  },
  {
    name: 'unread-answers',
    about: '100 connections ask 8 times each for an answer of 4 MB once more, in one piece, and read nothing.',
    clients: 100,
    withKey: true,
    streamed: 4_000_000,
    growthMb: 125,
    options: { settings: { ...SMALL_HEAP, ...OWN_CONNECTIONS } },
  },
  {
    name: 'one-byte-readers',
    about: '100 connections ask 8 times each for a streamed answer of 4 MB once more, and read a byte a second.',
    clients: 100,
    withKey: true,
    streamed: 4_000_000,
    growthMb: 125,
    options: { settings: { ...SMALL_HEAP, ...OWN_CONNECTIONS } },
  },
  {
    name: 'open-streams',
    about: '10,000 streams of one address and key, which are never read.',
    clients: 10_000,
    withKey: true,
    generates: true,
    options: { settings: OWN_CONNECTIONS },
  },
  {
    name: 'pages',
    about: "A web page makes its visitors' browsers ask with wrong keys.",
    generates: true,
    clients: 4,
    options: { settings: { BAN_AFTER_BAD_KEYS: '20' } },
    check: async ({ system }, { report }) => {
      const entry = await system.send({ from: ATTACKER });
      report.fact('status of a genuine key from that address', statusOf(entry), { atLeast: 200, atMost: 200 });
    },
  },
];
