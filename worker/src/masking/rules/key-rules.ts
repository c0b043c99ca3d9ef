import { drawn, login, type StructuralRule } from './structural-rule.ts';

const encoded = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
const armour = (end: string) => `-----${end} PRIVATE KEY-----`;
const chosen = ['Kopi', 'Susu', '77'].join('');

/** Keys, tokens and passwords known by their form or by what they are given to. */
export const KEY_RULES: readonly StructuralRule[] = [
  {
    name: 'jwt',
    type: 'key',
    source: 'https://www.rfc-editor.org/rfc/rfc7519',
    masks: [`${encoded({ alg: 'HS256' })}.${encoded({ sub: 'kopi' })}.${drawn}`],
    keeps: ['header.payload.signature', 'xxxxx.yyyyy.zzzzz'],
  },
  {
    name: 'private-key',
    type: 'key',
    source: 'https://www.rfc-editor.org/rfc/rfc7468',
    masks: [`${armour('BEGIN')}\n${drawn}${drawn}${drawn}\n${armour('END')}`],
    keeps: [`The line \`${armour('BEGIN')}\` begins it.`, `-----BEGIN CERTIFICATE-----\n${drawn}${drawn}\n`],
  },
  {
    name: 'basic-credentials',
    type: 'key',
    source: 'https://www.rfc-editor.org/rfc/rfc7617',
    masks: [`Proxy: Basic ${Buffer.from(login('budi').slice(0, -1)).toString('base64')}`],
    keeps: ['Basic authentication is old.'],
  },
  {
    name: 'bearer-token',
    type: 'key',
    source: 'https://www.rfc-editor.org/rfc/rfc6750',
    masks: [`-H "x: Bearer ${drawn}"`],
    keeps: ['Bearer <token>', 'Bearer YOUR_TOKEN', 'bearer of news'],
  },
  {
    name: 'password-assignment',
    type: 'key',
    source: 'https://owasp.org/www-community/vulnerabilities/Use_of_hard-coded_password',
    masks: ['DB_PASSWORD=kopisusu7', 'password: "kopisusu7"', '"kata_sandi": "kopisusu7"'],
    keeps: [
      'password: string',
      'password=None',
      'POSTGRES_PASSWORD: postgres',
      'password: ${DB_PASSWORD}',
      'token: process.env.TOKEN',
    ],
  },
  {
    name: 'secret-assignment',
    type: 'key',
    source: 'https://owasp.org/www-community/vulnerabilities/Use_of_hard-coded_password',
    masks: [`client_secret = "${drawn}"`, `token: "${drawn}"`],
    keeps: ['token_type: Bearer', 'max_tokens: 4096', 'tokenizer=bert-base'],
  },
  {
    name: 'weak-assignment',
    type: 'key',
    source: 'https://owasp.org/www-community/vulnerabilities/Use_of_hard-coded_password',
    masks: [`x-api-key: ${drawn}`],
    keeps: ['primary key: user_id', 'cacheKey = "report:2025-06:jakarta"', 'key={row.id}'],
  },
  {
    name: 'vendor-assignment',
    type: 'key',
    source: 'https://owasp.org/www-community/vulnerabilities/Use_of_hard-coded_password',
    masks: [`datadog = "${drawn}"`],
    keeps: ['datadog = "enabled"', 'twilio: configured'],
  },
  {
    name: 'glued-assignment',
    type: 'key',
    source: 'https://owasp.org/www-community/vulnerabilities/Use_of_hard-coded_password',
    masks: [`secretabc = "${drawn}"`],
    keeps: ['authority = "budi"', 'keyboard = "qwerty-us"'],
  },
  {
    name: 'prose',
    type: 'key',
    source: 'https://owasp.org/www-community/vulnerabilities/Use_of_hard-coded_password',
    masks: [
      `the password is ${chosen}, keep it`,
      `kata sandinya adalah ${chosen}`,
      `store ${drawn} as the billing API key`,
    ],
    keeps: ['the password is expired', 'the token is valid', 'token refresh is due'],
  },
  {
    name: 'table-cell',
    type: 'key',
    source: 'https://github.github.com/gfm/#tables-extension-',
    masks: [`| user | password |\n|---|---|\n| budi | ${chosen} |\n`],
    keeps: ['| user | password |\n|---|---|\n| budi | required |\n'],
  },
  {
    name: 'code-number',
    type: 'key',
    source: 'https://owasp.org/www-community/vulnerabilities/Use_of_hard-coded_password',
    masks: ['PIN: 482913', 'kode OTP adalah **730184**', "otp = '730184'"],
    keeps: ['GPIO pin: 12', 'pin: 1234', 'PIN: ****', 'spin: 482913', 'pin 482913 items'],
  },
  {
    name: 'command-secret',
    type: 'key',
    source: 'https://dev.mysql.com/doc/refman/8.4/en/connecting.html',
    masks: [`mysql -u root -p${chosen} shop`, `curl -u budi:${chosen} x`],
    keeps: ['mysql -u root -p shop', 'redis-cli -a $PASS ping'],
  },
];
