/** Response times below this have a bucket each, ms. */
const EXACT_BELOW = 128;
/** Buckets of each further doubling; their width is at most 1/64 of the value. */
const PER_OCTAVE = 64;
const EXACT_OCTAVE = Math.log2(EXACT_BELOW);
/** Times above are counted as this, ms. */
const LONGEST_MS = 2 ** 23 - 1;

/**
 * The bucket that counts a response time. Few enough buckets to keep in a hash (at most 1,152), narrow enough that a
 * percentile read from them is within 0.8 % of the true one, and exact below 128 ms.
 */
export function responseBucket(ms: number): number {
  const value = Math.min(Math.max(Math.round(ms), 0), LONGEST_MS);
  if (value < EXACT_BELOW) return value;
  const octave = Math.floor(Math.log2(value));
  const within = Math.floor((value / 2 ** octave - 1) * PER_OCTAVE);
  return EXACT_BELOW + (octave - EXACT_OCTAVE) * PER_OCTAVE + within;
}

/** The response time in the middle of a bucket, whole ms. */
export function bucketMs(bucket: number): number {
  if (bucket < EXACT_BELOW) return bucket;
  const octave = EXACT_OCTAVE + Math.floor((bucket - EXACT_BELOW) / PER_OCTAVE);
  const within = (bucket - EXACT_BELOW) % PER_OCTAVE;
  const width = 2 ** octave / PER_OCTAVE;
  return Math.round(2 ** octave + within * width + (width - 1) / 2);
}

/**
 * A percentile of counted response times.
 *
 * @param counts how many times each bucket was hit
 * @param share 0.95 for p95
 * @returns whole ms; `undefined` when nothing was counted
 */
export function percentile(counts: ReadonlyMap<number, number>, share: number): number | undefined {
  let total = 0;
  for (const count of counts.values()) total += count;
  if (total === 0) return undefined;
  const rank = Math.max(1, Math.ceil(total * share));
  let seen = 0;
  for (const [bucket, count] of [...counts].sort(([a], [b]) => a - b)) {
    seen += count;
    if (seen >= rank) return bucketMs(bucket);
  }
  return undefined;
}
