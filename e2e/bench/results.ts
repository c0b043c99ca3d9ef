import type { Round } from './measure.ts';
import type { LiteLlmFigures } from './sections/beside-litellm.ts';
import type { DefaultSetUpFigures } from './sections/default-set-up.ts';
import type { OpenLoopRow } from './sections/open-loop.ts';
import type { SlowUpstreamFigures } from './sections/slow-upstream.ts';
import type { StreamFigures } from './sections/streams.ts';

/** What `docs/performance.json` holds; tables, chart and budgets are made from it and from nothing else. */
export interface Results {
  readonly madeAt: string;
  readonly machine: Machine;
  readonly comparedWith: string | undefined;
  readonly throughput: readonly ThroughputRow[];
  readonly commands: readonly CommandRow[];
  readonly workers: readonly { readonly workers: number; readonly perSecond: number }[];
  readonly gateways: readonly {
    readonly gateways: number;
    readonly perSecond: number;
    readonly gatewayCpuMicros: number;
  }[];
  readonly inFlight: readonly InFlightRow[];
  /** What one of 10,000 held requests takes of servers that do nothing else, bytes. */
  readonly heldAlone: { readonly http: number; readonly express: number } | undefined;
  readonly growth: readonly GrowthRow[];
  /** Absent on records of before there were streams. */
  readonly streams?: StreamFigures | undefined;
  /** Absent on records of before a worker took more than 50 jobs. */
  readonly slowUpstream?: SlowUpstreamFigures | undefined;
  /** Absent on records of before it was measured. */
  readonly openLoops?: readonly OpenLoopRow[];
  readonly defaultSetUp?: DefaultSetUpFigures | undefined;
  /** An image of all services; absent where none was named, and on earlier records. */
  readonly image?: { readonly name: string; readonly compressedMegabytes: number } | undefined;
  readonly alone: Alone | undefined;
  /** Absent where LiteLLM could not be installed, and on earlier records. */
  readonly besideLiteLlm?: LiteLlmFigures | undefined;
  /** That a record was written though its rounds differed much; see `findUnsteady`. */
  readonly isForced?: boolean;
}

export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly memoryGigabytes: number;
  readonly node: string;
  readonly redis: string;
  /** The 1-minute load of the machine before the run: what others did meanwhile. */
  readonly loadBefore: number;
  /** Share of the machine's time that other machines on its host took during the run. Absent on earlier records. */
  readonly stolenShare?: number;
}

/** Medians of the rounds of one contender in one case. */
export interface ThroughputRow extends Pick<Round, 'perSecond' | 'p50' | 'p99' | 'cpuMicros' | 'residentBytes'> {
  readonly contender: string;
  readonly connections: number;
  readonly delayMs: number;
  readonly bytes: number;
  /** Requests that were not answered with 200, in all rounds. */
  readonly failed: number;
  /** How far a round's processor time per request was from the median, at most, of it. Absent on earlier records. */
  readonly spread?: number;
  /** The same between starts of the programs, of which each figure is the median. Absent where they were started once. */
  readonly startSpread?: number;
}

export interface CommandRow {
  readonly connections: number;
  /** Commands that all processes together sent to Redis, per answered request. */
  readonly sent: number;
  /** Those by name that make a twentieth of a command or more. */
  readonly byName: Readonly<Record<string, number>>;
}

export interface InFlightRow {
  readonly inFlight: number;
  readonly answered: number;
  readonly failed: number;
  readonly seconds: number;
  /** Growth of resident memory from before to its peak, bytes per request. */
  readonly gatewayBytes: number;
  readonly workerBytes: number;
  readonly redisBytes: number;
}

export interface GrowthRow {
  readonly keys: number;
  readonly addresses: number;
  readonly redisMegabytes: number;
  readonly p50: number;
  readonly p99: number;
  readonly redisCpuMicros: number;
}

/** Parts that are measured alone, without load from elsewhere. */
export interface Alone {
  /**
   * Time of Redis for one call, µs, sent in batches as a busy gateway sends them; the median of the batches. First an
   * empty script with as many keys and arguments as admission has.
   */
  readonly emptyScriptMicros: number;
  readonly admissionMicros: number;
  /** The same for a key with every limit there is. */
  readonly limitedAdmissionMicros: number;
  readonly settlementMicros: number;
  readonly maskingMegabytesPerSecond: number;
  /** Times as fast as secretlint's recommended rules on the same documents. */
  readonly maskingRatio: number;
}
