import { seededRandom } from '@lontar/shared/testing/seeded-random.ts';
import { anchorsOf } from '../compile-rules.ts';
import { ANY_DIGIT } from '../finding.ts';
import { ALL_RULES } from '../rules/all-rules.ts';

/** A text made to be slow to mask: a prefix, a unit many times, a suffix. */
export interface HostileText {
  /** Says how it was made. */
  readonly name: string;
  readonly text: string;
}

const FEWEST_REPEATS = 20;
const MOST_REPEATS = 60_000;
/** Texts of longer units are cut off here, characters. */
const LONGEST_TEXT = 60_000;

/** Single characters that some verifier treats in a way of its own. */
const CHARACTERS = Array.from('aAzZ019 .-_:/\\|=&;,"\'`<>()[]{}%@#?!*+~$^\n\té…\u2003\ud800');

/** What stands around secrets in prose, code, tables, JSON, YAML, URLs and their encodings, beside the anchors. */
const PIECES = [
  ...[
    'password: ',
    'password=',
    '"password": "',
    "'secret' => '",
    'kata sandi adalah ',
    'kunci = ',
    'contraseña: ',
    'passwort=',
    'api_key=',
    'key: ',
  ],
  ...[
    '| password |\n|---|\n| ',
    '\n| ',
    '| ',
    '|',
    '||',
    '\n|---|\n',
    '\n\n',
    '- ',
    '> ',
    '```\n',
    '~~~',
    '**',
    '***',
    '_',
    '`',
  ],
  ...[
    'https://',
    'http://user:',
    '@',
    '//',
    'api.',
    '.internal',
    '.com:443',
    '/v1/',
    '/api/',
    '?token=',
    '&key=',
    'a.b.',
    'localhost:',
  ],
  ...[
    'postgres://',
    'mongodb://a:b@',
    'jdbc:mysql://',
    'Server=',
    ';Password=',
    'host=',
    ' password=',
    'AccountKey=',
    '(description=',
    '@tcp(',
  ],
  ...['10.0.0.', '1.', '255[.]', '2001:db8:', 'f:', '::', '/24', 'v1.2.3.4 '],
  ...[
    'eyJhbGciOi',
    'A1b2C3d4',
    'a1b2c3d4e5f6',
    'aB3',
    'QWxhZGRpbg',
    '0x',
    'Zk7',
    '-----BEGIN PRIVATE KEY-----\n',
    '-----END ',
  ],
  ...['***API_KEY***', '***API_SERVER***', '***IP_ADDRESS***', '***DB_CONNECTION***', '***I', '***D'],
  ...[
    '%3A%2F%2F',
    '%3D',
    '%22',
    '%20',
    '%40',
    '\\n',
    '\\"',
    '\\/',
    '\\u002f',
    '&amp;',
    '&quot;',
    '${',
    '{{',
    '$(',
    '<x>',
    '…',
    '...',
    'xxxx',
  ],
  ...['curl -u ', 'mysql -p', 'echo ', 'use ', 'Bearer ', 'Basic ', 'Authorization: ', 'identified by ', 'kode otp '],
];

/** Families that are masked and never refused, however long: what people paste by mistake, and what was slow once. */
export const MASKED_FAMILIES: readonly (readonly [prefix: string, unit: string, suffix: string])[] = [
  ...[
    'a',
    'A',
    'A_',
    '1',
    ' ',
    '\n',
    '\t',
    '1.',
    '1.1.1.',
    'f:',
    ':',
    'ffff:',
    '::f',
    'a.',
    'a-',
    'api.',
    '@',
    'u@h:',
    '-',
    '----- ',
    '=,',
    '"\'',
    '`',
    '{',
    '${',
    '<',
    '[](',
  ],
  ...[
    'http://',
    'http://a/',
    'http://u:p@',
    'a://',
    '%3A%2F',
    ':\\/\\/',
    'postgres://',
    'jdbc:',
    'Server=a;',
    'k=v;',
    'AccountKey=',
    'key=',
    '"password": "',
    'token ',
    'api_key_',
    'password:',
  ],
  ...[
    'curl ',
    'curl a\n',
    'curl -H "',
    ' -u',
    'Authorization: ',
    'Bearer ',
    '-----BEGIN PRIVATE KEY-----\n',
    'eyJ',
    'sk-',
    'ghp_',
    'AKIA',
    'QWxhZGRpbjpvcGVu',
    'deadbeef',
    '0x',
    'auth-',
  ],
  ...[
    'kind: secret\ndata:\n',
    'data: \n a: ',
    '***API_SERVER***',
    'é漢',
    '0a.0a-',
    'a b c d e f ',
    'https://api.acme.io/v1 ',
    '10.1.2.3 ',
    'atlassian-',
    'auth0*',
    'pat.',
    'passw*',
    'host=',
    'options=https ',
    '7za -passout pass:',
    'chpasswd:\n f:f:f: ',
  ],
].map((unit) => ['', unit, ''] as const);

/** Endless hostile texts; the same ones for the same seed. */
export function* hostileTexts(seed: number): Generator<HostileText, never> {
  const random = seededRandom(seed);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const pieces = [...anchorTexts(), ...PIECES, ...PIECES];
  const short = () => Array.from({ length: 1 + Math.floor(random() * 3) }, () => pick(CHARACTERS)).join('');
  const makeUnit = () =>
    random() < 0.4 ? short() : random() < 0.5 ? pick(pieces) : pick(pieces) + (random() < 0.5 ? short() : pick(pieces));
  for (;;) {
    const prefix = random() < 0.6 ? pick(pieces) : '';
    const suffix = random() < 0.5 ? pick(pieces) + short() : short();
    const units = random() < 0.7 ? [makeUnit()] : [makeUnit(), makeUnit()];
    const repeats = Math.round(FEWEST_REPEATS * (MOST_REPEATS / FEWEST_REPEATS) ** random());
    const way = pick(['alternating', 'alternating', 'one after the other', 'varied'] as const);
    const body = bodyOf(units, repeats, way, () => pick(CHARACTERS) + pick(CHARACTERS));
    yield { name: JSON.stringify({ prefix, units, way, repeats, suffix }), text: prefix + body + suffix };
  }
}

/** The text of a family with so many repeats. */
export function familyText([prefix, unit, suffix]: readonly [string, string, string], length: number): string {
  return prefix + unit.repeat(Math.ceil(length / unit.length)).slice(0, length) + suffix;
}

function bodyOf(units: readonly string[], repeats: number, way: string, vary: () => string): string {
  const all = units.join('');
  // Units of one to three characters are repeated as often as they are meant to be.
  const times = all.length <= 3 ? repeats : Math.min(repeats, Math.ceil(LONGEST_TEXT / all.length));
  if (way === 'one after the other') return units.map((unit) => unit.repeat(times)).join('');
  if (way === 'alternating') return all.repeat(times);
  // No two the same, so that nothing is known of one from another.
  return Array.from({ length: Math.min(times, Math.floor(LONGEST_TEXT / (all.length + 2))) }, () => all + vary()).join(
    '',
  );
}

/** Anchors as texts; of the many that differ in a digit's base64 alone, some. */
function anchorTexts(): string[] {
  const texts = new Set(anchorsOf(ALL_RULES).map(({ text }) => text.replaceAll(ANY_DIGIT, '7')));
  return [...texts].filter((text) => !/^[mno][a-z0-9]{3}$/.test(text) || text.endsWith('1'));
}
