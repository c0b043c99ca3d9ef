const list = (words: string): ReadonlySet<string> => new Set(words.trim().split(/\s+/));

/** URI schemes of databases, caches and queues, before any `+driver`. */
export const CONNECTION_SCHEMES = list(`
  postgres postgresql pgsql psql pg cockroachdb cockroach redshift timescaledb greenplum gaussdb opengauss kingbase8 yugabytedb
  mysql mysql2 mysqlx mariadb tidb vitess oceanbase singlestore memsql
  mongodb redis rediss valkey valkeys keydb dragonfly memcached memcache
  amqp amqps rabbitmq mssql sqlserver tds sybase oracle oracledb ora db2 ibm_db_sa informix firebird interbase hana hdb saphana
  clickhouse clickhouses ch chs cassandra scylla scylladb couchdb couchdbs couchbase couchbases cosmosdb arangodb rethinkdb orientdb
  neo4j bolt memgraph dgraph janusgraph gremlin influxdb influxdbs questdb tdengine taos
  snowflake teradata teradatasql vertica exasol exa netezza nzpy trino presto hive hive2 impala druid pinot athena awsathena
  databricks dremio kylin phoenix elasticsearch opensearch solr libsql rqlite surrealdb edgedb ecto pulsar ravendb crate
`);

/** Mail schemes: a connection string when a login stands in them, an endpoint otherwise. */
export const MAIL_SCHEMES = list('smtp smtps imap imaps pop3 pop3s');

export type PairKind = 'address' | 'secret' | 'user' | 'database' | 'other';

const kinds = (kind: PairKind, names: string): [string, PairKind][] =>
  names.split(',').map((name) => [name.trim(), kind]);

/** Keys of `Key=Value;Key=Value` strings (ADO.NET, ODBC, OLE DB, Azure), without spaces and in lower case. */
export const PAIR_KEYS: ReadonlyMap<string, PairKind> = new Map([
  ...kinds(
    'address',
    'server, datasource, host, hostname, addr, address, networkaddress, endpoint, accountendpoint, blobendpoint, queueendpoint, tableendpoint, fileendpoint, serviceendpoint, ingestionendpoint, dataaddress, servername, dbhost',
  ),
  ...kinds(
    'secret',
    'password, pwd, accountkey, sharedaccesskey, sharedaccesssignature, sharedsecretvalue, accesskey, instrumentationkey, secretaccesskey',
  ),
  ...kinds('user', 'uid, userid, user, username, sharedaccesskeyname, accountname'),
  ...kinds('database', 'database, initialcatalog, dbname, db, servicename, sid, entitypath, dbq'),
  ...kinds(
    'other',
    `driver, provider, dsn, port, protocol, encrypt, trustservercertificate, integratedsecurity, trusted_connection, persistsecurityinfo,
    multipleactiveresultsets, connecttimeout, connectiontimeout, timeout, commandtimeout, applicationname, app, pooling, minpoolsize, maxpoolsize,
    minimumpoolsize, maximumpoolsize, charset, sslmode, ssl, option, failoverpartner, defaultendpointsprotocol, endpointsuffix, deviceid,
    authentication, authtype, transporttype, applicationintent, language, role, schema, warehouse, workstationid, network, networklibrary,
    currentlanguage, allowuservariables, convertzerodatetime, searchpath, includeerrordetail, keepalive, wsid, column encryption setting, version, liveendpoint`.replace(
      /\s+/g,
      ' ',
    ),
  ),
]);

/** Keywords of PostgreSQL's `key=value key=value` strings (libpq, 34.1.2). */
export const LIBPQ_KEYS: ReadonlyMap<string, PairKind> = new Map([
  ...kinds('address', 'host, hostaddr'),
  ...kinds('secret', 'password'),
  ...kinds('user', 'user'),
  ...kinds('database', 'dbname'),
  ...kinds(
    'other',
    'port, sslmode, connect_timeout, application_name, options, sslrootcert, sslcert, sslkey, target_session_attrs, passfile, service, client_encoding, channel_binding, gssencmode, keepalives, TimeZone',
  ),
]);
