import { drawn, login, type StructuralRule } from './structural-rule.ts';

/** Connection strings. */
export const CONNECTION_RULES: readonly StructuralRule[] = [
  {
    name: 'postgres-uri',
    type: 'connection',
    source: 'https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-CONNSTRING-URIS',
    masks: [`postgres://${login('app')}db.example.com/shop`],
    keeps: ['postgres://<user>:<password>@<host>/<db>', 'postgres://$USER:$PASS@$HOST/x'],
  },
  {
    name: 'mongodb-uri',
    type: 'connection',
    source: 'https://www.mongodb.com/docs/manual/reference/connection-string/',
    masks: ['mongodb://localhost:27017/test'],
    keeps: ['mongodb://'],
  },
  {
    name: 'redis-uri',
    type: 'connection',
    source: 'https://www.iana.org/assignments/uri-schemes/prov/redis',
    masks: [`redis://${login('')}cache.example.com`],
    keeps: ['redis://${HOST}'],
  },
  {
    name: 'jdbc',
    type: 'connection',
    source: 'https://docs.oracle.com/en/java/javase/21/docs/api/java.sql/java/sql/DriverManager.html',
    masks: ['jdbc:mysql://db.example.com:3306/shop'],
    keeps: ['jdbc:sqlite:app.db', 'jdbc:mysql://<host>/<db>'],
  },
  {
    name: 'go-dsn',
    type: 'connection',
    source: 'https://pkg.go.dev/github.com/go-sql-driver/mysql#readme-dsn-data-source-name',
    masks: [`${login('app')}tcp(db.example.com:3306)/shop`],
    keeps: ['$USER:$PASS@tcp($HOST)/x'],
  },
  {
    name: 'oracle-logon',
    type: 'connection',
    source: 'https://docs.oracle.com/en/database/oracle/oracle-database/23/sqpug/starting-SQL-Plus.html',
    masks: [`sqlplus hr/${drawn}@ora.example.com:1521/HR`],
    keeps: ['sqlplus / as sysdba'],
  },
  {
    name: 'oracle-descriptor',
    type: 'connection',
    source:
      'https://docs.oracle.com/en/database/oracle/oracle-database/23/netrf/local-naming-parameters-in-tns-ora-file.html',
    masks: ['(DESCRIPTION=(ADDRESS=(PROTOCOL=TCP)(HOST=ora.example.com)(PORT=1521)))'],
    keeps: ['(DESCRIPTION=text)'],
  },
  {
    name: 'ado-connection-string',
    type: 'connection',
    source: 'https://learn.microsoft.com/dotnet/framework/data/adonet/connection-string-syntax',
    masks: ['Server=db.example.com;Database=shop;Trusted_Connection=True'],
    keeps: ['Server=<host>;Database=<db>;Password=<password>'],
  },
  {
    name: 'cloud-connection-string',
    type: 'connection',
    source: 'https://learn.microsoft.com/azure/storage/common/storage-configure-connection-string',
    masks: [`AccountName=kopi;AccountKey=${drawn}`],
    keeps: ['AccountKey=${KEY};AccountName=${NAME}'],
  },
  {
    name: 'libpq',
    type: 'connection',
    source: 'https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-CONNSTRING-KEYWORD-VALUE',
    masks: ['psql "host=db.example.com dbname=shop"'],
    keeps: ['host=$HOST dbname=$DB'],
  },
  {
    name: 'jaas',
    type: 'connection',
    source: 'https://kafka.apache.org/documentation/#security_sasl_jaasconfig',
    masks: [`PlainLoginModule required username="kopi" password="${drawn}";`],
    keeps: ['PlainLoginModule required username="kopi";'],
  },
];
