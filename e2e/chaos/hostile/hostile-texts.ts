/** Length of the longest text that the service promises to mask, or refuse, within 300 ms. */
const LONG = 60_000;

const fill = (prefix: string, unit: string, suffix: string, length = LONG) =>
  prefix + unit.repeat(Math.floor((length - prefix.length - suffix.length) / unit.length)) + suffix;

/** Texts that made masking slow once, or are of their kind: a prefix, a unit many times, a suffix. */
export const HOSTILE_TEXTS: readonly string[] = [
  fill('password: ', 'a-', 'Z9', 97),
  fill('password: ', 'a-', 'Z9'),
  fill('password: ', 'a.a-', 'Z9'),
  fill('token=', 'A1b_', '!'),
  fill('', 'password=', 'x1Y2z3'),
  fill('', 'host=a ', 'password=b'),
  fill('', 'https://api. x', ''),
  fill('', '%22%3A%22', ''),
  fill('(description=(', '(description=(', ''),
  fill('', 'key={', '}'),
  fill('|', ' password | a1B2 |\n|', ''),
  fill('', '1.', '1.1.1'),
  fill('', '::', '1'),
  fill('-----BEGIN PRIVATE KEY-----\n', 'QUJD\n', ''),
  fill('', '***API_KEY***', ''),
  fill('secret is "', '\\"', '"'),
];
