import { addressBits } from '../address.ts';
import type { ApiKeyRecord } from '../api-key-record.ts';
import { idleLimits } from './idle-limits.ts';
import type { KeyTerms } from './key-terms.ts';

const HOURS_OF_DAY = 24;
/** What counts as one address, as bits with the version before them: of IPv6 a network, see `limitAddress`. */
const ONE_ADDRESS = /^(?:4:[01]{32}|6:[01]{56})/;

type Limits = Pick<ApiKeyRecord, 'perHour' | 'perDay' | 'credits' | 'concurrency' | 'addresses' | 'noAddressLimit'>;

const FLAGS = {
  perHour: '--per-hour',
  perDay: '--per-day',
  credits: '--credits',
  concurrency: '--concurrency',
} as const;

interface Finding {
  /** What was decided about the key, any of which brings the finding about. */
  readonly about: readonly (keyof KeyTerms)[];
  readonly warning: string;
}

/**
 * Limits of a key that cannot bind, because another one does before, each said in a sentence.
 *
 * @param given what the operator decided just now: of limits that were there before nothing is said again
 * @param addressPerHour requests that an address may make in an hour; `undefined` where that is not known
 */
export function limitsThatNeverBind(record: Limits, given: KeyTerms, addressPerHour: number | undefined): string[] {
  const findings = [...byOwnLimits(record), ...(addressPerHour === undefined ? [] : byAddress(record, addressPerHour))];
  const isGiven = ({ about }: Finding) => about.some((name) => given[name] !== undefined && given[name] !== null);
  return findings.filter(isGiven).map(({ warning }) => warning);
}

function byOwnLimits(record: Limits): Finding[] {
  return idleLimits(record).map(({ limit, about, value, by, byValue, most }) => {
    const cause =
      by === 'credits'
        ? `--credits ${byValue} are spent first.`
        : limit === 'perDay'
          ? `--per-hour ${byValue} lets ${most} requests through in a day at most.`
          : `${FLAGS[by]} ${byValue} does first.`;
    return { about, warning: `${FLAGS[limit]} ${value} can never bind: ${cause}` };
  });
}

/** Callers at many addresses have as many hours: only where the key names its addresses is it certain what binds. */
function byAddress({ perHour, perDay, concurrency, addresses, noAddressLimit }: Limits, most: number): Finding[] {
  if (noAddressLimit === '1') return [];
  const known = countAddresses(addresses);
  const places = known ?? 1;
  const findOne = (about: Finding['about'], flag: string, limit: number, hours: number): Finding[] => {
    if (limit <= places * most * hours) return [];
    const binds = `RATE_LIMIT_PER_HOUR lets ${most} requests an hour through from each address`;
    const warning =
      known === undefined
        ? `${flag} ${limit} binds only callers at ${Math.ceil(limit / (most * hours))} addresses or more: ${binds}, and binds first for fewer.`
        : `${flag} ${limit} can never bind: ${binds}, and --addresses names ${known}.`;
    return [{ about, warning: `${warning} --no-address-limit exempts the key.` }];
  };
  const alike = ['addressLimit', 'addresses'] as const;
  return [
    ...(perHour === undefined ? [] : findOne(['perHour', ...alike], '--per-hour', perHour, 1)),
    ...(perDay === undefined ? [] : findOne(['perDay', ...alike], '--per-day', perDay, HOURS_OF_DAY)),
    ...findOne(['concurrency'], '--concurrency', concurrency, 1),
  ];
}

/** @returns `undefined` where networks of several are among them, or all are allowed */
function countAddresses(list: string | undefined): number | undefined {
  const found = list?.split(',').map((item) => ONE_ADDRESS.exec(addressBits(item) ?? '')?.[0]);
  return found === undefined || found.includes(undefined) ? undefined : new Set(found).size;
}
