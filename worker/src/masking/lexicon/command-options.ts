import { type Command, commands } from './command-grammar.ts';
import { MORE_COMMANDS } from './more-commands.ts';

export type { Command, CommandOption, OptionStyle } from './command-grammar.ts';

/**
 * Command lines that carry a secret without naming it, by program and subcommand. Options that name it, `--password x` and
 * `--token=x`, need no entry: the rules of names read them after any program.
 */
export const COMMANDS: ReadonlyMap<string, Command> = new Map<string, Command>([
  // Databases.
  ...commands(
    'https://dev.mysql.com/doc/refman/8.4/en/connecting.html',
    'mysql|mysqldump|mysqladmin|mysqlimport|mysqlshow|mysqlcheck|mysqlbinlog|mysqlpump|mysqlslap|mycli|mariadb|mariadb-dump|mariadb-admin|mariadb-backup|xtrabackup',
    '-p* -h! --host!',
  ),
  ...commands(
    'https://www.mongodb.com/docs/mongodb-shell/reference/options/',
    'mongo|mongosh|mongodump|mongorestore|mongoexport|mongoimport|mongostat|mongotop',
    '-p --host!',
  ),
  ...commands(
    'https://www.postgresql.org/docs/current/app-psql.html',
    'psql|pg_dump|pg_dumpall|pg_restore|pg_basebackup|pg_isready|pgbench|createdb|dropdb|createuser|vacuumdb|reindexdb',
    '-h! --host!',
  ),
  ...commands('https://clickhouse.com/docs/interfaces/cli', 'clickhouse-client|clickhouse client', '-h! --host!'),
  ...commands('https://redis.io/docs/latest/develop/tools/cli/', 'redis-cli|valkey-cli|keydb-cli', '-a --pass -h!'),
  ...commands(
    'https://redis.io/docs/latest/operate/oss_and_stack/management/config/',
    'redis-server|valkey-server|keydb-server',
    '--requirepass --masterauth',
  ),
  ...commands(
    'https://learn.microsoft.com/en-us/sql/tools/sqlcmd/sqlcmd-utility',
    'sqlcmd|bcp|isql|tsql|osql|sqlpackage',
    '-P -S!',
  ),
  ...commands('https://cassandra.apache.org/doc/latest/cassandra/managing/tools/cqlsh.html', 'cqlsh', '-p'),
  ...commands(
    'https://cassandra.apache.org/doc/latest/cassandra/managing/tools/nodetool/nodetool.html',
    'nodetool',
    '-pw',
  ),
  ...commands('https://docs.influxdata.com/influxdb/v1/tools/influx-cli/', 'influx', '-password -t'),
  ...commands('https://neo4j.com/docs/operations-manual/current/cypher-shell/', 'cypher-shell', '-p'),
  ...commands(
    'https://www.rabbitmq.com/docs/man/rabbitmqctl.8',
    'rabbitmqctl add_user|rabbitmqctl change_password|rabbitmqctl authenticate_user',
    '2',
  ),
  ...commands('https://www.rabbitmq.com/docs/management-cli', 'rabbitmqadmin', '-p'),
  ...commands('https://mosquitto.org/man/mosquitto_pub-1.html', 'mosquitto_pub|mosquitto_sub|mosquitto_rr', '-P'),
  ...commands('https://mosquitto.org/man/mosquitto_passwd-1.html', 'mosquitto_passwd -b', '3'),
  // Containers and clouds.
  ...commands(
    'https://docs.docker.com/reference/cli/docker/login/',
    'docker login|podman login|nerdctl login|buildah login|skopeo login|oras login|crane auth login|helm registry login|regctl registry login|cf login',
    '-p',
  ),
  ...commands(
    'https://github.com/containers/skopeo/blob/main/docs/skopeo-copy.1.md',
    'skopeo',
    '--creds: --src-creds: --dest-creds:',
  ),
  ...commands('https://learn.microsoft.com/en-us/cli/azure/reference-index#az-login', 'az login', '-p'),
  ...commands(
    'https://learn.microsoft.com/en-us/cli/azure/sql/server#az-sql-server-create',
    'az sql server create|az sql server update|az sql mi create|az postgres flexible-server create|az postgres flexible-server update|az mysql flexible-server create|az mysql flexible-server update',
    '-p',
  ),
  ...commands(
    'https://docs.redhat.com/en/documentation/openshift_container_platform/4.18/html/cli_tools/openshift-cli-oc',
    'oc login',
    '-p',
  ),
  ...commands(
    'https://min.io/docs/minio/linux/reference/minio-mc/mc-alias-set.html',
    'mc alias set|mc config host add',
    '4',
  ),
  ...commands(
    'https://developer.hashicorp.com/vault/docs/commands/login',
    'vault login|vault unwrap|vault operator unseal',
    '1',
  ),
  ...commands(
    'https://docs.aws.amazon.com/cli/latest/reference/configure/set.html',
    'configure set aws_secret_access_key|configure set aws_session_token',
    '1',
  ),
  ...commands(
    'https://ngrok.com/docs/agent/cli/#ngrok-config-add-authtoken',
    'ngrok config add-authtoken|ngrok authtoken',
    '1',
  ),
  ...commands('https://docs.wandb.ai/ref/cli/wandb-login/', 'wandb login', '1'),
  ...commands('https://docs.snyk.io/developer-tools/snyk-cli/commands/auth', 'snyk auth', '1'),
  ...commands('https://doc.rust-lang.org/cargo/commands/cargo-login.html', 'cargo login', '1'),
  ...commands(
    'https://learn.microsoft.com/en-us/nuget/reference/cli-reference/cli-ref-push',
    'nuget push',
    '-k -ApiKey',
  ),
  ...commands('https://twine.readthedocs.io/en/stable/#twine-upload', 'twine upload', '-p'),
  ...commands('https://docs.expo.dev/more/expo-cli/', 'expo login', '-p'),
  ...commands('https://docs.codecov.com/docs/the-codecov-cli', 'codecov|codecovcli', '-t'),
  ...commands('https://bitwarden.com/help/cli/', 'bw unlock', '1'),
  ...commands('https://bitwarden.com/help/cli/', 'bw login', '2'),
  // The web and mail.
  ...commands(
    'https://curl.se/docs/manpage.html#-u',
    'curl',
    '-u: --user: --proxy-user: -U: --pass --proxy-pass --tlspassword --cert:',
  ),
  ...commands('https://httpie.io/docs/cli/authentication', 'http|https|httpie', '-a: --auth:'),
  ...commands(
    'https://httpd.apache.org/docs/2.4/programs/htpasswd.html',
    'htpasswd -b|htpasswd -bb|htpasswd -cb|htpasswd -bc|htpasswd -cbb|htpasswd -bcb',
    '3',
  ),
  ...commands(
    'https://httpd.apache.org/docs/2.4/programs/htpasswd.html',
    'htpasswd -nb|htpasswd -nbb|htpasswd -bn|htpasswd -bnb|htpasswd -nbm',
    '2',
  ),
  ...commands('https://github.com/jetmore/swaks/blob/develop/doc/base.pod', 'swaks', '-ap --auth-password'),
  ...commands('https://lftp.yar.ru/lftp-man.html', 'lftp', '-u,'),
  ...commands('https://www.ncftp.com/ncftp/doc/ncftp.html', 'ncftp|ncftpput|ncftpget', '-p'),
  // Machines and networks.
  ...commands('https://linux.die.net/man/1/sshpass', 'sshpass', '-p -p*'),
  ...commands(
    'https://learn.microsoft.com/en-us/powershell/module/microsoft.powershell.security/convertto-securestring',
    'convertto-securestring',
    '-String 1',
  ),
  ...commands('https://the.earth.li/~sgtatham/putty/latest/htmldoc/Chapter7.html', 'plink|pscp|psftp|putty', '-pw'),
  ...commands(
    'https://www.openldap.org/software/man.cgi?query=ldapsearch',
    'ldapsearch|ldapmodify|ldapadd|ldapdelete|ldapwhoami|ldapcompare|ldapmodrdn',
    '-w',
  ),
  ...commands('https://www.openldap.org/software/man.cgi?query=ldappasswd', 'ldappasswd', '-w -s -a'),
  ...commands(
    'https://learn.microsoft.com/en-us/cli/azure/keyvault/secret#az-keyvault-secret-set',
    'az keyvault secret set',
    '--value',
  ),
  ...commands(
    'https://www.samba.org/samba/docs/current/man-html/smbclient.1.html',
    'smbclient|rpcclient|smbget|net ads|net rpc|smbcacls',
    '-U%',
  ),
  ...commands(
    'https://learn.microsoft.com/en-us/previous-versions/windows/it-pro/windows-server-2012-r2-and-2012/gg651155(v=ws.11)',
    'net use',
    '3',
  ),
  ...commands(
    'https://learn.microsoft.com/en-us/previous-versions/windows/it-pro/windows-server-2012-r2-and-2012/cc771865(v=ws.11)',
    'net user',
    '2',
  ),
  ...commands(
    'https://www.net-snmp.org/docs/man/snmpcmd.html',
    'snmpwalk|snmpget|snmpgetnext|snmpset|snmpbulkwalk|snmpbulkget|snmptrap|snmpinform|snmptable|snmpstatus',
    '-A -X -c',
  ),
  ...commands('https://github.com/ipmitool/ipmitool/blob/master/doc/ipmitool.1.in', 'ipmitool', '-P'),
  ...commands('https://rclone.org/commands/rclone_obscure/', 'rclone obscure', '1'),
  ...commands('https://docs.openssl.org/3.0/man1/openssl-passwd/', 'openssl passwd|mkpasswd', '1'),
  ...commands('https://www.openldap.org/software/man.cgi?query=slappasswd', 'slappasswd', '-s'),
  ...commands('https://doc.dovecot.org/main/core/man/doveadm-pw.1.html', 'doveadm pw', '-p'),
  ...commands('https://man.openbsd.org/ssh-keygen.1', 'ssh-keygen', '-N -P'),
  ...commands('https://caddyserver.com/docs/command-line#caddy-hash-password', 'caddy hash-password', '--plaintext -p'),
  ...commands('https://cli.github.com/manual/gh_secret_set', 'gh secret set', '--body -b'),
  ...commands('https://docs.ansible.com/ansible/latest/cli/ansible-vault.html', 'ansible-vault encrypt_string', '1'),
  ...commands(
    'https://keith.github.io/xcode-man-pages/security.1.html',
    'security add-generic-password|security add-internet-password',
    '-w',
  ),
  ...commands('https://github.com/Hackplayers/evil-winrm', 'evil-winrm|crackmapexec|netexec|nxc', '-p'),
  ...commands('https://man.archlinux.org/man/wpa_passphrase.8', 'wpa_passphrase', '2'),
  ...commands('https://www.freerdp.com/', 'xfreerdp|wlfreerdp|xfreerdp3|wfreerdp', '/p:*'),
  ...commands('https://linux.die.net/man/1/rdesktop', 'rdesktop', '-p'),
  ...commands('https://learn.microsoft.com/en-us/sysinternals/downloads/psexec', 'psexec|psexec64|psexec.exe', '-p'),
  ...commands(
    'https://learn.microsoft.com/en-us/windows-server/administration/windows-commands/schtasks-create',
    'schtasks /create',
    '/rp /p',
  ),
  ...commands(
    'https://keith.github.io/xcode-man-pages/security.1.html',
    'security unlock-keychain|security create-keychain|security set-key-partition-list|security import',
    '-p -P -k',
  ),
  // Archives, keys and documents.
  ...commands('https://linux.die.net/man/1/zip', 'zip|unzip|zipcloak', '-P'),
  ...commands(
    'https://7-zip.opensource.jp/chm/cmdline/switches/set_password.htm',
    '7z|7za|7zz|7zr|rar|unrar',
    '-p* -hp*',
  ),
  ...commands('https://www.xpdfreader.com/pdftotext-man.html', 'pdftotext|pdfinfo|pdftoppm|pdfimages', '-upw -opw'),
  ...commands(
    'https://docs.oracle.com/en/java/javase/21/docs/specs/man/keytool.html',
    'keytool|jarsigner',
    '-storepass -keypass -srcstorepass -deststorepass -srckeypass -destkeypass -new',
  ),
  ...commands('https://learn.microsoft.com/en-us/windows/win32/seccrypto/signtool', 'signtool sign|certutil', '/p -p'),
  ...commands('https://docs.openssl.org/3.0/man1/openssl-enc/', 'openssl enc|openssl aes-256-cbc|openssl des3', '-k'),
  ...MORE_COMMANDS,
]);
