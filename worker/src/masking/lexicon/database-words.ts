import { wordSet } from './word-set.ts';

/** A word of a name that makes `host` in it the host of a database, a cache or a broker. */
export const DATABASE_WORDS = wordSet(`
  db database databases basisdata mysql mariadb pg postgres postgresql pgbouncer redis valkey keydb memcached mongo mongodb mssql sqlserver sql oracle ora
  rabbitmq rabbit amqp kafka clickhouse cassandra scylla cockroach cockroachdb tidb elastic elasticsearch opensearch influx influxdb neo4j
  couchdb couchbase etcd jdbc datasource dsn snowflake redshift vertica hana informix sybase cache broker`);

/** Ports that servers of databases, caches and brokers listen on (IANA's registry of services). */
const PORTS = '1433|1521|3306|3307|5432|5433|6379|6380|8123|9042|9200|27017|5672|11211';

/** What stands near a bare `host` when a connection is described: what else it needs, or the name of what is connected to. */
export const DESCRIBES_CONNECTION = new RegExp(
  String.raw`(?:password|passwd|pwd|sandi|dbname|database|initial.catalog)["']?\s{0,3}(?:[:=]|=>)|port["']?\s{0,3}(?:[:=]|=>)\s{0,3}["']?(?:${PORTS})\b|\b(?:create)?(?:connection|connect|pool|client)\(\s{0,24}[{[]?|\b(?:mysql|mariadb|postgres(?:ql)?|redis|valkey|mongo(?:db)?|mssql|rabbitmq|amqp|database|datasource|db|basisdata)["']?\s{0,3}[:=]`,
  'i',
);
