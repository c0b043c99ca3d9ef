import { anchorsOf } from '../compile-rules.ts';
import { ANY_DIGIT } from '../finding.ts';
import { ALL_RULES } from '../rules/all-rules.ts';

/** What stands between two anchors, so that the next one begins a word, a value, a call, a cell or a line. */
const JOINTS = [
  ...Array.from(' \n\t=:;,.|/-_@"\'`([{<>)]}*#&%$\\~+?!aA1é'),
  ...[
    'a ',
    'A1 ',
    'a=',
    'a1.',
    '="',
    ': "',
    " '",
    '="a" ',
    '=a ',
    ':a@',
    '\n\n',
    '%22',
    '\\n',
    '\\"',
    '=${',
    '=<',
    '(a,',
    "('a','",
    'a1b2C3',
  ],
];

/** What verifiers look for beside anchors: before them, behind them, or in what they read. */
const SURROUNDINGS = [
  ...[
    'RFC 1 ',
    'npm i ',
    'curl ',
    'config ',
    'create user ',
    'alter role ',
    'version ',
    'ip ',
    'oid("',
    'my-a-1 ',
    'password=my-',
  ],
  ...[
    '1.2.3.4',
    '1.2.3.4 ',
    '10.0.0.1',
    '1.1.1.',
    '::1',
    'f:f:f:',
    'a.b.c',
    'api.',
    'https://',
    'http://a',
    '//',
    '%3A%2F%2F',
    '.com:443',
    '/v1/',
  ],
  ...[
    'a1B2c3D4e5',
    'aB3dE5gH7jK9mN1pQ3sT5',
    'kopi-susu-7',
    'my-cat-Kiki-12',
    'a.b.c.d1',
    '0123456789abcdef',
    'eyJhbGciOi',
    'QWxhZGRpbg==',
  ],
  ...[
    '| password |\n|---|\n',
    '| a ',
    '-----BEGIN ',
    '-----BEGIN PRIVATE KEY-----\n',
    '***API_KEY***',
    '***',
    'é',
    '密码',
    '是',
    '：',
    '&quot;',
    '\\u0022',
  ],
  ...[
    'host=a ',
    'Server=a;',
    'a=b;',
    '(a=(',
    'a{',
    '=a;',
    '(host=',
    '$a',
    '${a}',
    '<a>',
    '--a ',
    ' -p',
    ' -u a:',
    '|| ',
    '# ',
    'x'.repeat(32),
  ],
];

/** Texts that wake verifiers, as they are and in capitals; of the many that differ in one digit's base64 alone, some. */
export function wakingTexts(): string[] {
  const texts = anchorsOf(ALL_RULES)
    .map(({ text }) => text.replaceAll(ANY_DIGIT, '7'))
    .filter((text) => !/^[mno][a-z0-9]{3}$/.test(text) || text.endsWith('1'));
  return [...new Set([...texts, ...texts.map((text) => text.toUpperCase())])];
}

/** Every anchor with every joint and every surrounding, before it and behind it: a unit of each family. */
export function* unitsOfOneAnchor(): Generator<string> {
  for (const anchor of wakingTexts()) {
    yield anchor;
    for (const joint of JOINTS) yield anchor + joint;
    for (const surrounding of SURROUNDINGS) {
      yield surrounding + anchor;
      yield anchor + surrounding;
      yield `${anchor} ${surrounding} `;
      yield `${surrounding} ${anchor}='`;
    }
  }
}

/** Every anchor with every other one: more than a million units. */
export function* unitsOfTwoAnchors(): Generator<string> {
  const anchors = wakingTexts().filter((text) => text === text.toLowerCase());
  for (const first of anchors) for (const second of anchors) yield first + second;
}
