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
