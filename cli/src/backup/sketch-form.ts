/** Registers of a HyperLogLog of Redis. */
const REGISTERS = 16_384;
const MAGIC = 'HYLL';
const HEADER_BYTES = 16;
const DENSE_BYTES = HEADER_BYTES + (REGISTERS * 6) / 8;
const DENSE = 0;
const SPARSE = 1;

/**
 * Whether a value is a HyperLogLog as Redis writes it (hyperloglog.c). Redis trusts what it reads in one, and versions of
 * it wrote outside of the memory they had when its runs held more registers than there are.
 */
export function isSketch(value: Buffer): boolean {
  if (value.length < HEADER_BYTES || value.toString('latin1', 0, MAGIC.length) !== MAGIC) return false;
  const encoding = value[MAGIC.length];
  if (encoding === DENSE) return value.length === DENSE_BYTES;
  return encoding === SPARSE && registersOfRuns(value) === REGISTERS;
}

/** The registers that the runs of a sparse one hold together; 0 where a run is cut off. */
function registersOfRuns(value: Buffer): number {
  let registers = 0;
  for (let at = HEADER_BYTES; at < value.length; at += 1) {
    const first = value[at] ?? 0;
    // 1vvvvvxx: a value, one to four times. 00xxxxxx: up to 64 zeros. 01xxxxxx and a byte: up to 16,384 zeros.
    if ((first & 0x80) !== 0) registers += (first & 0x03) + 1;
    else if ((first & 0x40) === 0) registers += (first & 0x3f) + 1;
    else {
      const second = value[at + 1];
      if (second === undefined) return 0;
      registers += (((first & 0x3f) << 8) | second) + 1;
      at += 1;
    }
  }
  return registers;
}
