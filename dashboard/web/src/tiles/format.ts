import { language, locale } from '../words/language.ts';

/** Making one takes long, and there are few: by language and digits. */
const FORMATS = new Map<string, Intl.NumberFormat>();
/** Days, hours and minutes; the second has one sign everywhere. */
const UNITS = { en: ['d', 'h', 'min'], id: ['hari', 'jam', 'mnt'] } as const;

/** `12,345`, or as the language of the page writes it. */
export function formatCount(value: number): string {
  return formatDecimal(value, 0);
}

/** With so many digits behind the point, or the comma: `12.3`; with `least` none that are nought beyond those. */
export function formatDecimal(value: number, digits: number, least = digits): string {
  const name = `${locale()} ${digits} ${least}`;
  const options = { minimumFractionDigits: least, maximumFractionDigits: digits };
  const format = FORMATS.get(name) ?? new Intl.NumberFormat(locale(), options);
  FORMATS.set(name, format);
  return format.format(value);
}

/** `1,000`, `12.5K`: for scales, which have little room. */
export function formatShort(value: number): string {
  if (value < 10_000) return formatDecimal(value, 1, 0);
  return new Intl.NumberFormat(locale(), { notation: 'compact', maximumFractionDigits: 1 }).format(value);
}

/** `812 ms`, `12.3 s`, `4 min 5 s`. */
export function formatMs(ms: number): string {
  if (ms < 10_000) return `${formatCount(Math.round(ms))} ms`;
  if (ms < 100_000) return `${formatDecimal(ms / 1_000, 1)} s`;
  return formatSpan(ms);
}

/** A longer span in its two greatest units: `3 d 4 h`, `12 min`, `40 s`. */
export function formatSpan(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000));
  const [days, hours, minutes] = UNITS[language.value];
  const units: readonly [number, string][] = [
    [86_400, days],
    [3_600, hours],
    [60, minutes],
    [1, 's'],
  ];
  const first = units.findIndex(([size]) => seconds >= size);
  if (first < 0) return '0 s';
  let rest = seconds;
  const words: string[] = [];
  for (const [size, unit] of units.slice(first, first + 2)) {
    const amount = Math.floor(rest / size);
    rest -= amount * size;
    if (amount > 0) words.push(`${amount} ${unit}`);
  }
  return words.join(' ');
}

/** `12:04:31`, in the reader's time zone. */
export function formatClock(at: number): string {
  const time = new Date(at);
  return [time.getHours(), time.getMinutes(), time.getSeconds()].map((part) => String(part).padStart(2, '0')).join(':');
}

/** `2026-01-31 12:04:31`, in the reader's time zone. */
export function formatDateTime(at: number): string {
  const time = new Date(at);
  const date = [time.getFullYear(), time.getMonth() + 1, time.getDate()];
  return `${date.map((part) => String(part).padStart(2, '0')).join('-')} ${formatClock(at)}`;
}

/** `1.2 MB`, in powers of 1024. */
export function formatBytes(bytes: number): string {
  const units = ['B', 'KB', 'MB', 'GB', 'TB'];
  let value = bytes;
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${formatDecimal(value, value < 10 && unit > 0 ? 1 : 0)} ${units[unit] ?? ''}`;
}

/** Share of successes among answers that were ours to give, one decimal; a dash when there were none. */
export function formatRate(successes: number, failures: number): string {
  const all = successes + failures;
  if (all === 0) return '–';
  // Rounded down, so that 100.0 % means that nothing failed.
  return `${formatDecimal(Math.floor((successes / all) * 1_000) / 10, 1)} %`;
}
