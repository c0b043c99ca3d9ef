/** Limits of one key, as far as they may idle beside each other; no code of a platform, because the page has it too. */
interface OwnLimits {
  readonly perHour?: number | undefined;
  readonly perDay?: number | undefined;
  readonly credits?: number | undefined;
  readonly concurrency: number;
}

type LimitName = keyof OwnLimits;

/** A limit that another one of the same key always reaches first. */
export interface IdleLimit {
  readonly limit: LimitName;
  readonly value: number;
  /** Which does, and what it is. */
  readonly by: LimitName;
  readonly byValue: number;
  /** Of `perDay`: what the hours of a day let through. */
  readonly most?: number;
  /** What was decided about the key, any of which brings it about. */
  readonly about: readonly LimitName[];
}

const HOURS_OF_DAY = 24;

/** The limits of a key that can never bind, because another limit of it does first. */
export function idleLimits({ perHour, perDay, credits, concurrency }: OwnLimits): IdleLimit[] {
  const found: IdleLimit[] = [];
  if (perHour !== undefined && perDay !== undefined) {
    const about = ['perHour', 'perDay'] as const;
    const most = HOURS_OF_DAY * perHour;
    if (perHour > perDay) found.push({ limit: 'perHour', value: perHour, by: 'perDay', byValue: perDay, about });
    if (perDay > most) found.push({ limit: 'perDay', value: perDay, by: 'perHour', byValue: perHour, most, about });
  }
  // All requests in flight were made within the hour, and each has taken a credit. (A key has a concurrency that is not
  // given, too: of that nothing is said.)
  const about = ['concurrency'] as const;
  if (perHour !== undefined && concurrency > perHour) {
    found.push({ limit: 'concurrency', value: concurrency, by: 'perHour', byValue: perHour, about });
  }
  if (credits !== undefined && concurrency > credits) {
    found.push({ limit: 'concurrency', value: concurrency, by: 'credits', byValue: credits, about });
  }
  return found;
}

/** A limit that callers reach only at so many addresses, because the hour of each address ends first. */
export interface AddressFinding {
  readonly limit: 'perHour' | 'perDay' | 'concurrency';
  readonly value: number;
  /** Requests that each address may make in an hour. */
  readonly most: number;
  /** Addresses that it takes to reach the limit. */
  readonly needed: number;
  /** Addresses that the key names; where that is known the limit can never bind, as these are too few. */
  readonly named?: number;
  readonly about: readonly (LimitName | 'addressLimit' | 'addresses')[];
}

/**
 * The limits that the hour of an address reaches first. Callers at many addresses have as many hours: only where the key names
 * its addresses is it certain what binds.
 *
 * @param named how many addresses the key names; `undefined` where it names none, or networks
 * @param most requests that an address may make in an hour
 */
export function limitsBeyondAddresses(
  { perHour, perDay, concurrency }: { readonly [Name in AddressFinding['limit']]?: number | undefined },
  named: number | undefined,
  most: number,
): AddressFinding[] {
  const findOne = (limit: AddressFinding['limit'], value: number | undefined, hours: number): AddressFinding[] => {
    if (value === undefined || value <= (named ?? 1) * most * hours) return [];
    const about = limit === 'concurrency' ? [limit] : ([limit, 'addressLimit', 'addresses'] as const);
    const needed = Math.ceil(value / (most * hours));
    return [{ limit, value, most, needed, about, ...(named === undefined ? {} : { named }) }];
  };
  return [
    ...findOne('perHour', perHour, 1),
    ...findOne('perDay', perDay, HOURS_OF_DAY),
    ...findOne('concurrency', concurrency, 1),
  ];
}
