/** Bytes of each unit, as for `MAX_FILE_BYTES`: 10 MB are 10,485,760 bytes. */
const UNITS = [
  ['TB', 1_099_511_627_776],
  ['GB', 1_073_741_824],
  ['MB', 1_048_576],
  ['KB', 1_024],
] as const;
const MOST_BYTES = 999_999_999_999_999;

/** What `parseByteSize` takes, for help and errors. */
export const BYTE_SIZE_EXAMPLES = '500MB, 2GB, 1048576';

/** A number of bytes, written with a unit (1 KB is 1,024 bytes) or without; `undefined` for what is none. */
export function parseByteSize(text: string): number | undefined {
  const [, digits = '', unit = ''] = /^(\d{1,15})(?: ?([A-Za-z]{1,3}))?$/.exec(text.trim()) ?? [];
  if (digits === '') return undefined;
  const name = unit.toUpperCase().replace('IB', 'B');
  const factor = ['', 'B'].includes(name) ? 1 : UNITS.find(([known]) => known === name)?.[1];
  const bytes = Number(digits) * (factor ?? Number.NaN);
  return bytes <= MOST_BYTES ? bytes : undefined;
}

/** A number of bytes in the largest unit of which there is one: `1.5 GB`. */
export function showByteSize(bytes: number): string {
  const [unit, factor] = UNITS.find(([, size]) => bytes >= size) ?? ['bytes', 1];
  return `${Math.round((bytes / factor) * 10) / 10} ${unit}`;
}
