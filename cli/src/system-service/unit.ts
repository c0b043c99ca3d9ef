/** Whose systemd runs a service: the machine's, or that of the user who installs it. */
export type Scope = 'system' | 'user';

export interface UnitInput {
  readonly scope: Scope;
  /** Program and arguments, the first an absolute path. */
  readonly command: readonly string[];
  /** Where `.env` is. */
  readonly folder: string;
  /** The one place that may be written to. */
  readonly home: string;
  /** `LONTAR_HOME` as the operator set it, where they did; else it is in `.env`, or the default. */
  readonly givenHome?: string;
  /** Whom a service of the machine runs as. */
  readonly user?: string;
  /** Of all its processes, Redis included, as systemd takes it: `2G`. */
  readonly memoryMax: string;
  /** How long it may take to stop, s. */
  readonly stopSeconds: number;
  /** Where programs are looked for. */
  readonly searchPath: string;
}

/** What the machine's systemd can forbid and that of a user cannot: each needs rights that only root has to give away. */
const SYSTEM_ALONE = [
  'CapabilityBoundingSet=',
  'PrivateDevices=yes',
  'ProtectClock=yes',
  'ProtectHostname=yes',
  'ProtectKernelLogs=yes',
  'ProtectKernelModules=yes',
];

/**
 * A unit of systemd that runs `lontar start` with as few rights as it can do with. It may write to its home alone. No
 * `MemoryDenyWriteExecute`: V8 compiles at run time.
 */
export function unitText(input: UnitInput): string {
  const { scope, command, folder, home, givenHome, user, memoryMax, stopSeconds, searchPath } = input;
  const environment = { PATH: searchPath, ...(givenHome === undefined ? {} : { LONTAR_HOME: givenHome }) };
  return [
    '# Written by "lontar service install", and replaced by the next one.',
    '[Unit]',
    'Description=Lontar: self-hosted text generation',
    ...(scope === 'system' ? ['Wants=network-online.target', 'After=network-online.target'] : []),
    'StartLimitIntervalSec=300',
    'StartLimitBurst=10',
    '',
    '[Service]',
    'Type=notify',
    // The launcher is a child of the program that systemd starts.
    'NotifyAccess=all',
    `ExecStart=${command.map(argument).join(' ')}`,
    `WorkingDirectory=${path(folder)}`,
    ...Object.entries(environment).map(([name, value]) => `Environment=${quoted(`${name}=${value}`)}`),
    ...(user === undefined ? [] : [`User=${user}`]),
    'Restart=always',
    'RestartSec=2',
    // The first start may install the dependencies.
    'TimeoutStartSec=900',
    `TimeoutStopSec=${stopSeconds}`,
    // The launcher stops the others in order; what it leaves is killed.
    'KillMode=mixed',
    'WatchdogSec=60',
    `MemoryMax=${memoryMax}`,
    'LimitNOFILE=65536',
    '',
    'NoNewPrivileges=yes',
    'ProtectSystem=strict',
    'ProtectHome=read-only',
    `ReadWritePaths=${quoted(home)}`,
    'PrivateTmp=yes',
    'ProtectControlGroups=yes',
    'ProtectKernelTunables=yes',
    'RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX AF_NETLINK',
    'RestrictNamespaces=yes',
    'RestrictRealtime=yes',
    'RestrictSUIDSGID=yes',
    'LockPersonality=yes',
    'SystemCallArchitectures=native',
    'SystemCallFilter=@system-service',
    'UMask=0077',
    ...(scope === 'system' ? SYSTEM_ALONE : []),
    '',
    '[Install]',
    `WantedBy=${scope === 'system' ? 'multi-user.target' : 'default.target'}`,
    '',
  ].join('\n');
}

/** `%` begins a specifier of systemd. */
function path(text: string): string {
  return text.replaceAll('%', '%%');
}

function quoted(text: string): string {
  return `"${path(text).replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}

/** Of a command line, where `$` begins a variable. */
function argument(text: string): string {
  return quoted(text).replaceAll('$', '$$$$');
}
