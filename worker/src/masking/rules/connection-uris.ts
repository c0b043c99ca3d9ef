import { CODE, DOT, WORD } from '../characters.ts';
import { connectionSpan, endOfUri, isTemplateOfUri } from '../connection-parts.ts';
import type { Verify } from '../finding.ts';
import { WEB_SCHEMES } from '../lexicon/hosts.ts';
import { wordList } from '../lexicon/word-set.ts';
import type { TextWindow } from '../text-window.ts';
import { plainScheme, SCHEME_ENDS, schemeBefore } from '../url-parts.ts';
import { verdict } from '../verdicts.ts';
import { login, type Rule } from './rule.ts';

/** Verifies at `scheme://` after the scheme of a database, a cache, a queue or a mail server. */
const verifyConnectionUri: Verify = (window, start, end) => {
  // Nearly all URLs are pages of the web: nothing else is read of those.
  if (plainScheme(window, start) !== '') return undefined;
  const scheme = schemeBefore(window, start);
  const rule = WEB_SCHEMES.has(scheme) ? undefined : ruleOf(scheme);
  if (rule === undefined) return undefined;
  const schemeStart = start - scheme.length;
  const stop = endOfUri(window, end, window.before(schemeStart - 1));
  const body = bodyOf(window, end, stop);
  if (MAIL_RULES.has(scheme) && !body.includes('@')) return undefined;
  if (verdict(window, 'template of a URI', body, isTemplateOfUri)) return undefined;
  return { rule, ...connectionSpan(window, startOfRun(window, schemeStart), end, stop) };
};

/** True when the URI at `scheme://` is one of these rules to judge, masked or not, rather than an endpoint. */
export function isConnectionUri(window: TextWindow, scheme: string, start: number, end: number): boolean {
  if (!MAIL_RULES.has(scheme)) return ruleOf(scheme) !== undefined;
  return bodyOf(window, end, endOfUri(window, end, window.before(start - scheme.length - 1))).includes('@');
}

function ruleOf(scheme: string): Rule | undefined {
  const driver = scheme.indexOf('+');
  return DATABASE_RULES.get(driver < 0 ? scheme : scheme.slice(0, driver)) ?? MAIL_RULES.get(scheme);
}

function bodyOf(window: TextWindow, start: number, end: number): string {
  return window.slice(start, end).replaceAll('\\/', '/').replace(/%3a/i, ':').replace(/%40/i, '@');
}

/** What is stuck to the scheme goes with it, so that what stays does not end in the middle of a word; an escape stays. */
function startOfRun(window: TextWindow, schemeStart: number): number {
  const start = window.runBefore(schemeStart, WORD | DOT, 64);
  return window.before(start - 1) === CODE.backslash ? schemeStart : start;
}

/** A rule for each scheme that a page gives: a login or a host behind it is a connection string. */
function connectionUris(source: string, schemes: string): readonly Rule[] {
  return wordList(schemes).map((scheme) => ({
    name: `${scheme}-uri`,
    type: 'connection',
    anchors: SCHEME_ENDS,
    verify: verifyConnectionUri,
    source,
    masks: [`${scheme}://${login('app')}db.example.com/shop`],
    keeps: [`${scheme}://<user>:<password>@<host>/<db>`, `${scheme}://$USER:$PASS@$HOST/x`, `${scheme}://`],
  }));
}

/** Schemes as they stand before any `+driver`. */
const DATABASES: readonly Rule[] = [
  ...connectionUris(
    'https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-CONNSTRING-URIS',
    'postgres postgresql pgsql psql pg',
  ),
  ...connectionUris('https://www.mongodb.com/docs/manual/reference/connection-string/', 'mongodb'),
  // Valkey, KeyDB and Dragonfly take the place of Redis.
  ...connectionUris(
    'https://www.iana.org/assignments/uri-schemes/prov/redis',
    'redis rediss valkey valkeys keydb dragonfly',
  ),
  ...connectionUris(
    'https://dev.mysql.com/doc/refman/8.4/en/connecting-using-uri-or-key-value-pairs.html',
    'mysql mysql2 mysqlx mariadb tidb vitess oceanbase singlestore memsql',
  ),
  ...connectionUris('https://www.rabbitmq.com/docs/uri-spec', 'amqp amqps rabbitmq'),
  ...connectionUris(
    'https://docs.sqlalchemy.org/en/20/dialects/',
    `cockroachdb cockroach redshift timescaledb greenplum gaussdb opengauss kingbase8 yugabytedb
    mssql sqlserver tds sybase oracle oracledb ora db2 ibm_db_sa informix firebird interbase hana hdb saphana
    clickhouse clickhouses ch chs snowflake teradata teradatasql vertica exasol exa netezza nzpy trino presto
    hive hive2 impala druid pinot athena awsathena databricks dremio kylin phoenix elasticsearch opensearch solr
    libsql rqlite questdb taos tdengine crate`,
  ),
  ...connectionUris(
    // These have no page on URIs that covers all ways to write them: what counts is the login.
    'https://www.rfc-editor.org/rfc/rfc3986#section-3.2.1',
    `cassandra scylla scylladb couchdb couchdbs couchbase couchbases cosmosdb arangodb rethinkdb orientdb memcached memcache
    influxdb influxdbs pulsar ravendb surrealdb edgedb ecto memgraph dgraph janusgraph gremlin`,
  ),
  ...connectionUris('https://neo4j.com/docs/operations-manual/current/configuration/connectors/', 'neo4j bolt'),
];

/** Mail servers: a connection string when a login stands in the URI, an endpoint otherwise. */
const MAIL: readonly Rule[] = connectionUris(
  'https://www.rfc-editor.org/rfc/rfc5092#section-3',
  'smtp smtps imap imaps pop3 pop3s',
);

const byScheme = (rules: readonly Rule[]) => new Map(rules.map((rule) => [rule.name.slice(0, -'-uri'.length), rule]));
const DATABASE_RULES = byScheme(DATABASES);
const MAIL_RULES = byScheme(MAIL);

/** Connection strings written as URIs. */
export const CONNECTION_URI_RULES: readonly Rule[] = [...DATABASES, ...MAIL];
