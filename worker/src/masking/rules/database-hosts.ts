import { BLANK, CODE, DASH, DOT, isIn, LETTER, LOWER, QUOTE, UPPER, WORD } from '../characters.ts';
import { readServerName } from '../database-host.ts';
import type { Verify } from '../finding.ts';
import { DATABASE_WORDS, DESCRIBES_CONNECTION } from '../lexicon/database-words.ts';
import type { TextWindow } from '../text-window.ts';
import type { Rule } from './rule.ts';

const LONGEST_NAME = 64;
/** Words before `host` that are read: `spring.data.redis.host`, `db_primary_read_host`. */
const MOST_WORDS = 4;
/** How far before a bare `host` it is said what is connected to, and how far behind it. */
const [REACH_BEFORE, REACH_BEHIND] = [160, 120];

/** Verifies at `host` and what joins it to a value: the host of a connection that stands apart from its password. */
const verifyHostGiven: Verify = (window, start, end) => {
  const nameStart = window.runBefore(start, WORD | DASH | DOT, LONGEST_NAME);
  const from = startOfValue(window, end);
  if (from < 0) return undefined;
  const named = nameStart < start && isDatabaseName(window, nameStart, start);
  if (!named && (nameStart < start || !mayBeKey(window, start))) return undefined;
  const found = readServerName(window, from);
  if (found === undefined) return undefined;
  return named || describesConnection(window, start, found.end) ? found : undefined;
};

/** What libpq says of a server that it cannot reach, before the server's name in quotes. */
const SAID_OF_SERVER = [
  'connection to server at "',
  'could not translate host name "',
  'is the server running on host "',
];

/** Verifies at such words. */
const verifyHostInError: Verify = (window, _start, end) => readServerName(window, end);

/** `host: `, `host=`, `"host": "`, `'host' => '`, `HOST', '`: where the value starts, or -1. */
function startOfValue(window: TextWindow, end: number): number {
  let index = end;
  const last = window.code(end - 1);
  if (isIn(last, QUOTE)) {
    index = window.run(index, BLANK, 4);
    const code = window.at(index);
    if (code !== CODE.colon && code !== CODE.equals && code !== CODE.comma) return -1;
    index++;
  }
  if (window.at(index) === CODE.greater) index++;
  index = window.run(index, BLANK, 8);
  if (window.at(index) === CODE.equals) index = window.run(index + 1, BLANK, 8);
  return isIn(window.at(index), QUOTE) ? index + 1 : index;
}

/** `DB_HOST`, `pgHost`, `spring.data.redis.host`: one of the last words before `host` is a database's. */
function isDatabaseName(window: TextWindow, nameStart: number, start: number): boolean {
  let end = start;
  for (let words = 0; words < MOST_WORDS && end > nameStart; words++) {
    while (end > nameStart && !isIn(window.code(end - 1), LETTER)) end--;
    let from = end;
    const letters = from > nameStart && isIn(window.code(from - 1), UPPER) ? UPPER : LOWER;
    while (from > nameStart && isIn(window.code(from - 1), letters)) from--;
    if (letters === LOWER && from > nameStart && isIn(window.code(from - 1), UPPER)) from--;
    if (DATABASE_WORDS.has(window.slice(from, end).toLowerCase())) return true;
    if (from === end) break;
    end = from;
  }
  return false;
}

/** `host` as the key of a record or an argument; HTTP's header has a capital. */
function mayBeKey(window: TextWindow, start: number): boolean {
  const first = window.code(start);
  return first === CODE.h || (first === CODE.H && window.code(start + 1) < CODE.a);
}

function describesConnection(window: TextWindow, start: number, end: number): boolean {
  return (
    DESCRIBES_CONNECTION.test(window.left(start, REACH_BEFORE)) ||
    DESCRIBES_CONNECTION.test(window.peek(end, REACH_BEHIND))
  );
}

/** The host of a database where it stands apart from its password: in settings, arguments and commands. */
export const DATABASE_HOST: Rule = {
  name: 'database-host',
  type: 'url',
  anchors: ['host', 'hostname', 'host_name', 'server_name', 'servername'].flatMap((name) =>
    ['=', ':', ' =', ' :', '"', "'"].map((joint) => `${name}${joint}`),
  ),
  verify: verifyHostGiven,
  source: 'https://www.postgresql.org/docs/current/libpq-envars.html',
  masks: [
    'DB_HOST=pg-1.kopi.example.id',
    'database:\n  host: pg-1.kopi.example.id\n  port: 5432',
    "mysql.createConnection({ host: 'db.kopi.example.id', user: 'kopi' })",
    'mysql -h db.kopi.example.id -u root shop',
    'mysqli_connect("db.kopi.example.id", "toko", $password)',
  ],
  keeps: [
    'DB_HOST=localhost',
    'DB_HOST=db',
    'db_host = config.host',
    'host: www.example.com',
    'redis: { host: "redis.my-service.com", port: 6379 }',
    'mysql -h',
    'SMTP_HOST=mail.example.com',
  ],
};

/** The same in what a client says when it cannot connect. */
export const DATABASE_HOST_IN_ERROR: Rule = {
  name: 'database-host-in-error',
  type: 'url',
  anchors: SAID_OF_SERVER,
  verify: verifyHostInError,
  source: 'https://www.postgresql.org/docs/current/libpq-connect.html',
  masks: ['connection to server at "db.kopi.example.id", port 5432 failed: timeout expired'],
  keeps: ['connection to server at "localhost", port 5432 failed: Connection refused'],
};
