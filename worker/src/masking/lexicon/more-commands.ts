import { type Command, commands } from './command-grammar.ts';

/** Command lines of services, machines and networks that carry a secret without naming it; see `command-options.ts`. */
export const MORE_COMMANDS: readonly (readonly [string, Command])[] = [
  ...commands(
    'https://grafana.com/docs/grafana/latest/cli/',
    'grafana-cli admin reset-admin-password|grafana cli admin reset-admin-password',
    '1',
  ),
  ...commands(
    'https://neo4j.com/docs/operations-manual/current/configuration/set-initial-password/',
    'neo4j-admin dbms set-initial-password|neo4j-admin set-initial-password',
    '1',
  ),
  ...commands(
    'https://www.elastic.co/guide/en/elasticsearch/reference/current/users-command.html',
    'elasticsearch-users useradd|elasticsearch-users passwd',
    '-p',
  ),
  ...commands('https://docs.chef.io/workstation/knife_bootstrap/', 'knife bootstrap', '-P'),
  ...commands('https://manpages.debian.org/stable/sendemail/sendemail.1.en.html', 'sendemail', '-xp'),
  ...commands('https://man.archlinux.org/man/x11vnc.1', 'x11vnc|vncviewer', '-passwd'),
  ...commands('https://manpages.debian.org/stable/winexe/winexe.1.en.html', 'winexe|wmic', '-U%'),
  ...commands('https://freeradius.org/radiusd/man/radtest.html', 'radtest', '2'),
  ...commands('https://qpdf.readthedocs.io/en/stable/encryption.html', 'qpdf --encrypt', '1'),
  ...commands('https://keith.github.io/xcode-man-pages/networksetup.8.html', 'networksetup -setairportnetwork', '3'),
  ...commands('https://keith.github.io/xcode-man-pages/dscl.1.html', 'dscl . -passwd', '2'),
  ...commands(
    'https://keith.github.io/xcode-man-pages/sysadminctl.8.html',
    'sysadminctl',
    '-password -adminPassword -newPassword',
  ),
  ...commands(
    'https://www.dell.com/support/manuals/en-us/idrac9-lifecycle-controller-v3.x-series/idrac_3.00.00.00_racadm/',
    'racadm',
    '-p',
  ),
  ...commands(
    'https://manpages.debian.org/stable/fence-agents/fence_ipmilan.8.en.html',
    'fence_ipmilan|fence_ilo|fence_idrac|fence_apc',
    '-p',
  ),
  ...commands('https://www.perforce.com/manuals/cmdref/Content/CmdRef/global.options.html', 'p4', '-P'),
  ...commands('https://www.ibm.com/docs/en/db2/11.5?topic=commands-connect', 'db2 connect to', '5'),
  ...commands(
    'https://docs.aws.amazon.com/cli/latest/reference/secretsmanager/create-secret.html',
    'aws secretsmanager create-secret|aws secretsmanager put-secret-value|aws secretsmanager update-secret',
    '--secret-string',
  ),
  ...commands('https://etcd.io/docs/v3.5/op-guide/authentication/rbac/', 'etcdctl', '--user:'),
  ...commands('https://github.com/vanhauser-thc/thc-hydra', 'hydra|medusa', '-p'),
  ...commands('https://docs.oracle.com/en/database/oracle/oracle-database/23/sutil/', 'impdp|expdp|rman target', '1/'),
  ...commands('https://www.drush.org/latest/commands/user_password/', 'drush user:password|drush upwd', '2'),
  ...commands('https://www.rfc-editor.org/rfc/rfc2812#section-3.1.4', '/oper', '2'),
  ...commands('https://developer.valvesoftware.com/wiki/SteamCMD', '+login', '2'),
];
