const UNITS = [
  ['GB', 1_073_741_824],
  ['MB', 1_048_576],
  ['KB', 1_024],
] as const;

/** A size for readers: `10 MB` where that is exact or nearly so, as for `MAX_FILE_BYTES` (1 MB is 1,048,576 bytes). */
export function showBytes(bytes: number): string {
  const [unit, factor] = UNITS.find(([, size]) => bytes >= size) ?? ['bytes', 1];
  return `${Math.floor((bytes / factor) * 10) / 10} ${unit}`;
}
