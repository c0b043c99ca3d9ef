import { BARE_VALUE, BLANK, CODE, COLON, DOT, EQUALS, isIn, QUOTE } from '../characters.ts';
import { connectionSpan, endOfUri, isBlank, isTemplateOfUri } from '../connection-parts.ts';
import type { Verify } from '../finding.ts';
import { drawn, login, type Rule } from './rule.ts';

/** Verifies at `jdbc:` and `r2dbc:`. */
const verifyJdbc: Verify = (window, start, end) => {
  if (isIn(window.before(start - 1), BARE_VALUE & ~(EQUALS | COLON | DOT))) return undefined;
  const parts = /^[a-z0-9+-]{2,20}(?::[a-z0-9+-]{2,20}){0,2}?:(?:\/\/|@|thin:|oci:|\w{1,32}\/\w)/i.exec(
    window.peek(end, 64),
  );
  if (parts === null || /^(?:sqlite|duckdb|h2:(?:mem|file|~)|hsqldb:mem|derby:[^/])/i.test(parts[0])) return undefined;
  const stop = endOfUri(window, end, window.before(start - 1), true);
  const body = window.slice(end, stop);
  const password = /[;?&:](?:password|pwd)=([^;&]+)/i.exec(body)?.[1] ?? '';
  const rest = body
    .slice(parts[0].search(/(?:\/\/|@|thin:|oci:)/i))
    .replace(/^(?:thin|oci):/i, '')
    .replace(/^(?:\/\/|@\/?\/?)/, '');
  if ((password === '' || isBlank(password)) && isTemplateOfUri(rest.replace(/^@/, ''))) return undefined;
  return connectionSpan(window, start, end, stop);
};

/** Verifies at `@tcp(`, the middle of Go's MySQL data source name `user:password@tcp(host:port)/db`. */
const verifyGoDsn: Verify = (window, start, end) => {
  const from = window.unbrokenBefore(start);
  if (from === start) return undefined;
  const opener = window.before(from - 1);
  const close = window.run(end, BARE_VALUE, 128);
  if (window.at(close) !== CODE.closeParenthesis) return undefined;
  if (window.slice(from, close).includes('***')) return undefined;
  // What is masked begins behind `${`, but it is judged as the template that it may be.
  const isTemplate = window.before(from - 1) === CODE.openBrace && window.before(from - 2) === CODE.dollar;
  const userinfo = window.slice(isTemplate ? from - 2 : from, start);
  const password = userinfo.slice(userinfo.indexOf(':') + 1);
  if (isBlank(password) && isBlank(window.slice(end, close))) return undefined;
  // Without a network a user and a password have to stand before the bracket, and a path behind it.
  if (end - start === 2 && !(LOGIN_BEFORE.test(userinfo) && window.at(close + 1) === CODE.slash)) return undefined;
  return connectionSpan(window, from, close, endOfUri(window, close + 1, opener));
};

const LOGIN_BEFORE = /^[\w.-]{1,40}:[^\s:/]{3,}$/;

/** Before the logon: bounds the work. */
const MOST_OPTIONS = 8;

/** Verifies at `sqlplus `: the logon `user/password@host:port/service`. */
const verifySqlplus: Verify = (window, _start, end) => {
  let from = end;
  for (let options = 0; options < MOST_OPTIONS && window.at(from) === CODE.hyphen; options++)
    from = window.run(window.run(from, BARE_VALUE, 24), BLANK, 4);
  const quote = isIn(window.at(from), QUOTE) ? window.at(from) : -1;
  if (quote > 0) from++;
  const stop = endOfUri(window, from, quote);
  const logon = /^[^/\s]+\/(\S+)@[^\s@]+$/.exec(window.slice(from, stop));
  if (logon === null || isBlank(logon[1] ?? '')) return undefined;
  return { start: from, end: stop };
};

/** Connection strings of drivers and clients that are no URIs. */
export const CONNECTION_LOGON_RULES: readonly Rule[] = [
  {
    name: 'jdbc',
    type: 'connection',
    anchors: ['jdbc:', 'r2dbc:'],
    verify: verifyJdbc,
    source: 'https://docs.oracle.com/en/java/javase/21/docs/api/java.sql/java/sql/DriverManager.html',
    masks: ['jdbc:mysql://db.example.com:3306/shop'],
    keeps: ['jdbc:sqlite:app.db', 'jdbc:mysql://<host>/<db>'],
  },
  {
    name: 'go-dsn',
    type: 'connection',
    anchors: ['@tcp(', '@tcp6(', '@unix(', '@('],
    verify: verifyGoDsn,
    source: 'https://pkg.go.dev/github.com/go-sql-driver/mysql#readme-dsn-data-source-name',
    masks: [`${login('app')}tcp(db.example.com:3306)/shop`],
    keeps: ['$USER:$PASS@tcp($HOST)/x'],
  },
  {
    name: 'oracle-logon',
    type: 'connection',
    anchors: ['sqlplus '],
    verify: verifySqlplus,
    source: 'https://docs.oracle.com/en/database/oracle/oracle-database/23/sqpug/starting-SQL-Plus.html',
    masks: [`sqlplus hr/${drawn}@ora.example.com:1521/HR`],
    keeps: ['sqlplus / as sysdba'],
  },
];
