import { describe, expect, test } from '@jest/globals';
import { seededRandom } from '@lontar/shared/testing/seeded-random.ts';
import { createMasker } from './mask.ts';
import { draw } from './testing/drawn.ts';

const { mask } = createMasker();
const random = seededRandom(31);
const HEX = '0123456789abcdef';
const LOWER = 'abcdefghijklmnopqrstuvwxyz0123456789';
const ALL = `ABCDEFGHIJKLMNOPQRSTUVWXYZ${LOWER}`;

/** What keys without a vendor's prefix look like. */
const KEYS = () => [
  draw(random, 32, ALL),
  draw(random, 40, HEX),
  draw(random, 64, HEX),
  draw(random, 32, LOWER),
  [8, 4, 4, 4, 12].map((length) => draw(random, length, HEX)).join('-'),
  `${draw(random, 43, ALL)}=`,
];

/** What people choose. Put together here, so that none stands in the file. */
const PASSWORDS = [
  ['Kopi', 'Susu#77'],
  ['jakarta', '2024!'],
  ['Rahasia', 'Banget123'],
  ['p4ss', 'W0rd-x9'],
  ['Tr0ub4', 'dor&3'],
].map((parts) => parts.join(''));

/** `~` is the value. */
const KEY_CONTEXTS = [
  'API_KEY=~',
  '"api_key": "~",',
  'X-Api-Key: ~',
  'Authorization: Token ~',
  'Authorization: ~',
  'client_secret=~&grant_type=x',
  '<apiKey>~</apiKey>',
  '- name: API_KEY\n  value: "~"',
  'const TOKEN: &str = "~";',
  'token = (\n  "~"\n)',
  'api_key%3D~%26x%3D1',
  'token%22%3A%22~%22',
  '&quot;token&quot;: &quot;~&quot;',
  'secrets:\n  api_key: !!str ~',
  '| `API_KEY` | `~` | production |',
  '### API Key\n\n    ~\n',
  '## Token\n\n```\n~\n```\n',
  'The API key is ~.',
  'API key – ~',
  'my secret key is ~, keep it',
  'API key Anda adalah **~**',
  'Token-nya adalah `~`.',
  'token untuk produksi adalah ~',
  'git config --global x.token ~',
  'echo "~" | docker login -u budi --password-stdin',
  '.setToken("~")',
];

const PASSWORD_CONTEXTS = [
  'password: ~',
  '- **Password**: `~`',
  '| user | password |\n|---|---|\n| budi | ~ |',
  'Kata sandinya adalah ~.',
  'kata sandinya ~',
  'sandi wifi nya ~',
  'password default-nya ~',
  'masuk dengan kata sandi ~',
  'The password is `~`.',
  'ENV DB_PASSWORD ~',
  'pass: ~',
  'Password:\n```\n~\n```',
  '.withPassword("~")',
  'mysql -u root -p~ shop',
  "CREATE USER budi IDENTIFIED BY '~';",
  'echo "budi:~" | chpasswd',
  'keytool -list -storepass ~',
  'unzip -P ~ laporan.zip',
];

const CONNECTIONS = [
  'postgresql+asyncpg://app:~@db/shop',
  'postgresql%2Basyncpg%3A%2F%2Fapp%3A~%40db%2Fshop',
  'nats%3A%2F%2Fapp%3A~%40nats%3A4222',
  'app:~@unix(/run/mysqld/mysqld.sock)/shop',
  'Driver={PostgreSQL Unicode};Server=pg;Database=d;Uid=a;Pwd=~;',
  '{\\"dsn\\":\\"mongodb+srv://u:~@cl.abcde.mongodb.net/app\\"}',
  '| db | jdbc:sqlserver://s:1433;databaseName=d;user=sa;password=~ |',
  'x\\nredis://:~@cache:6380/1\\ny',
];

const CLEAN = [
  'password: String!',
  'password: string2',
  'the key identified by `pubKey`',
  'Release GPG key: 3ABC01543F22DD2239285CDD818674489FBC127E',
  'WeakCallbackInfo::IsFirstPass 615c19d9e03d4be2049c10db0151edbc3b229246',
  'v8@3.14.5.9',
  'npm install foo@1.2.3.4',
  '[11.6.2.2 Future Reserved Words](https://www.ecma-international.org/)',
  '## 4.2.1.3 Konfigurasi',
  'http://code.google.com/p/v8/wiki/JavaScriptStackTraceApi',
  'https://host/path',
  'the password rfc2617 speaks of',
  'echo "hello world" | grep h',
];

describe('a value given to a name', () => {
  test.each(KEY_CONTEXTS)('a key in %j', (context) => {
    for (const key of KEYS()) expect(mask(context.replace('~', key)).text).not.toContain(key.slice(4, 16));
  });

  test.each(PASSWORD_CONTEXTS)('a password in %j', (context) => {
    for (const password of PASSWORDS) expect(mask(context.replace('~', () => password)).text).not.toContain(password);
  });

  test.each(CONNECTIONS)('a login in %j', (context) => {
    for (const [key = ''] of [KEYS(), KEYS()]) expect(mask(context.replace('~', key)).text).not.toContain(key);
  });

  test.each(CLEAN)('%j stays', (text) => {
    expect(mask(text).text).toBe(text);
  });
});
