import { seededRandom } from '@lontar/shared/testing/seeded-random.ts';

export interface MadeUpSecret {
  /** What must not be seen. */
  readonly value: string;
  /** A sentence or a piece of code as a model writes it. */
  readonly text: string;
}

const CAPITALS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const SMALL = CAPITALS.toLowerCase();
const DIGITS = '0123456789';
const ALPHANUMERIC = CAPITALS + SMALL + DIGITS;

/** One made-up secret of each family, from a seed, so that no token-shaped text stands in the sources. */
export function madeUpSecrets(seed: number): Record<string, MadeUpSecret> {
  const random = seededRandom(seed);
  const pick = (alphabet: string, length: number) =>
    Array.from({ length }, () => alphabet.charAt(Math.floor(random() * alphabet.length))).join('');
  const part = () => 1 + Math.floor(random() * 254);
  const base64url = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const password = pick(ALPHANUMERIC, 14);
  const address = `100.${64 + (part() % 60)}.${part()}.${part()}`;
  const host = `api.${pick(SMALL, 9)}.id`;
  const internal = `${pick(SMALL, 8)}.internal`;
  const values = {
    address,
    sixth: `2404:6800:${pick('abcdef', 4)}::${pick('abcdef', 3)}`,
    github: ['ghp', pick(ALPHANUMERIC, 36)].join('_'),
    google: ['AI', 'za', pick(ALPHANUMERIC, 35)].join(''),
    aws: ['AK', 'IA', pick(`${CAPITALS}234567`, 16)].join(''),
    slack: ['xox', 'b-', pick(DIGITS, 12), '-', pick(DIGITS, 12), '-', pick(ALPHANUMERIC, 24)].join(''),
    jwt: [base64url({ alg: 'HS256', typ: 'JWT' }), base64url({ sub: pick(DIGITS, 8) }), pick(ALPHANUMERIC, 43)].join(
      '.',
    ),
    bearer: pick(ALPHANUMERIC, 40),
    assigned: pick(ALPHANUMERIC, 24),
    pem: Array.from({ length: 6 }, () => pick(`${ALPHANUMERIC}+/`, 64)).join('\n'),
    postgres: `postgres://shop:${password}@db.${pick(SMALL, 8)}.id:5432/shop`,
    mongo: `mongodb+srv://root:${pick(ALPHANUMERIC, 12)}@cluster0.${pick(SMALL, 6)}.mongodb.net/pos`,
    odbc: pick(ALPHANUMERIC, 13),
  };
  const marker = (edge: string) => `-----${edge} RSA PRIVATE KEY-----`;
  return {
    'IPv4 address': { value: values.address, text: `The node answers on ${values.address} today.` },
    'IPv6 address': { value: values.sixth, text: `AAAA record: ${values.sixth}` },
    'API URL': { value: host, text: `Send it to https://${host}/v1/orders and wait.` },
    'internal URL': { value: internal, text: `See http://${internal}:9200/_cluster/health?pretty for details.` },
    'GitHub token': { value: values.github, text: `export GITHUB_TOKEN=${values.github}` },
    'Google key': { value: values.google, text: `The key is \`${values.google}\`.` },
    'AWS key id': { value: values.aws, text: `aws_access_key_id = ${values.aws}` },
    'Slack token': { value: values.slack, text: `| slack | ${values.slack} |` },
    JWT: { value: values.jwt, text: `"token": "${values.jwt}"` },
    'bearer header': { value: values.bearer, text: `curl -H "Authorization: Bearer ${values.bearer}" example.org` },
    'assigned secret': { value: values.assigned, text: `client_secret: "${values.assigned}"` },
    'private key': {
      value: values.pem.slice(70, 120),
      text: `${marker('BEGIN')}\n${values.pem}\n${marker('END')}`,
    },
    'PostgreSQL URL': { value: password, text: `DATABASE_URL=${values.postgres}` },
    'MongoDB URL': { value: values.mongo, text: `mongoose.connect("${values.mongo}")` },
    'ADO connection string': {
      value: values.odbc,
      text: `Server=tcp:sql1.contoso.id,1433;Database=shop;User Id=app;Password=${values.odbc};Encrypt=True;`,
    },
  };
}
