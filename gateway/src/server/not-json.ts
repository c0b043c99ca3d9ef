/** So much of a body's beginning and end shows what it is, bytes. */
const LOOKED_AT_BYTES = 256;

/** What bodies are that are no JSON, by their beginning; the first that fits is said. */
const BEGINNINGS: readonly (readonly [form: RegExp, message: string])[] = [
  [
    /^\s*'/,
    "It begins with a single quote, as Windows' shells send it: put it into a file, and send that by -d @FILE.",
  ],
  [/^\s*@/, 'It begins with @: the file that curl was to send was not found, or stands in quotes of its own.'],
  [/^\s*[\w.-]+=/, 'It is a form: send {"prompt": "…"} instead.'],
  [/^\s*\{\s*(?:\\"|[“”])/, 'Its quotation marks are escaped or curly: JSON has plain ones.'],
  [/^\s*\{\s*'/, 'JSON has double quotes around names and texts, not single ones.'],
  [
    /^\s*\{\s*[A-Za-z_$]/,
    'JSON has double quotes around names. Does a shell take them away? Put single quotes around all of it.',
  ],
];

/**
 * Why a body is no JSON, where its form shows it; empty where not. It looks at the beginning and the end alone, and
 * repeats nothing of them.
 */
export function whyNotJson(bytes: Uint8Array): string {
  const [first, second] = bytes;
  if (first === 0x1f && second === 0x8b) return 'It is compressed: send it as it is.';
  const isMarked = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  if (isMarked || first === 0 || second === 0) return 'It is in UTF-16: send UTF-8.';
  const text = (from: number, to?: number) => Buffer.from(bytes.slice(from, to)).toString();
  const beginning = text(0, LOOKED_AT_BYTES);
  const found = BEGINNINGS.find(([form]) => form.test(beginning))?.[1];
  if (found !== undefined) return found;
  const end = text(-LOOKED_AT_BYTES).trimEnd();
  if (/,\s*[}\]]+$/.test(end)) return 'There is a comma behind its last field.';
  if (/[\n\r\t]/.test(beginning) && /"[^"\\]*[\n\r\t]/.test(beginning)) {
    return 'A line end or a tab within a text has to be written \\n or \\t.';
  }
  return /^\s*[{[]/.test(beginning) && !/[}\]]$/.test(end) ? 'Its end is missing.' : '';
}
