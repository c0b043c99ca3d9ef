import { addressBits } from '../address.ts';
import type { ApiKeyRecord } from '../api-key-record.ts';
import { idleLimits, limitsBeyondAddresses } from './idle-limits.ts';
import type { KeyTerms } from './key-terms.ts';

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
          : `${FLAGS[by]} ${byValue} is reached first.`;
    return { about, warning: `${FLAGS[limit]} ${value} can never be reached: ${cause}` };
  });
}

function byAddress(record: Limits, most: number): Finding[] {
  if (record.noAddressLimit === '1') return [];
  return limitsBeyondAddresses(record, countAddresses(record.addresses), most).map((finding) => {
    const { limit, value, needed, named, about } = finding;
    const why = `RATE_LIMIT_PER_HOUR lets ${most} requests an hour through from each address`;
    const warning =
      named === undefined
        ? `${FLAGS[limit]} ${value} can only be reached from ${needed} addresses or more: ${why}.`
        : `${FLAGS[limit]} ${value} can never be reached: ${why}, and --addresses names ${named}.`;
    return { about, warning: `${warning} --no-address-limit exempts the key.` };
  });
}

/** @returns `undefined` where networks of several are among them, or all are allowed */
function countAddresses(list: string | undefined): number | undefined {
  const found = list?.split(',').map((item) => ONE_ADDRESS.exec(addressBits(item) ?? '')?.[0]);
  return found === undefined || found.includes(undefined) ? undefined : new Set(found).size;
}
