import { wordSet } from './word-set.ts';

/** A word of a name that makes `host` in it the host of a database, a cache or a broker. */
export const DATABASE_WORDS = wordSet(`
  db database databases basisdata mysql mariadb pg postgres postgresql pgbouncer redis valkey keydb memcached mongo mongodb mssql sqlserver sql oracle ora
  rabbitmq rabbit amqp kafka clickhouse cassandra scylla cockroach cockroachdb tidb elastic elasticsearch opensearch influx influxdb neo4j
  couchdb couchbase etcd jdbc datasource dsn snowflake redshift vertica hana informix sybase cache broker`);

/**
 * What stands near a bare `host` when a connection is described: what else it needs, a port that servers of databases,
 * caches and brokers listen on (IANA's registry of services), or the name of what is connected to.
 */
export const DESCRIBES_CONNECTION =
  /(?:password|passwd|pwd|sandi|dbname|database|initial.catalog)["']?\s{0,3}(?:[:=]|=>)|port["']?\s{0,3}(?:[:=]|=>)\s{0,3}["']?(?:1433|1521|330[67]|543[23]|6379|6380|8123|9042|9200|27017|5672|11211)\b|\b(?:create)?(?:connection|connect|pool|client)\(|\b(?:mysql|mariadb|postgres(?:ql)?|redis|valkey|mongo(?:db)?|mssql|rabbitmq|amqp|database|datasource|db|basisdata)["']?\s{0,3}[:=]/i;
