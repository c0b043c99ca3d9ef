import type { Environment } from '@lontar/shared/config/read-config.ts';
import { systemEnvironment } from '../settings/services.ts';
import { findProgram } from './programs.ts';
import { runQuietly } from './run-quietly.ts';

const INSTALL_TIMEOUT_MS = 10 * 60_000;

/**
 * Installs packages without starting their services, now or at boot: a Redis of the system's own on 6379 is not ours to
 * start. Package lists are fetched only when the install fails without. `$@`: packages.
 */
const INSTALL_SCRIPT = `
export DEBIAN_FRONTEND=noninteractive
policy=/usr/sbin/policy-rc.d
if [ ! -e "$policy" ]; then
  trap 'rm -f "$policy"' EXIT
  printf '#!/bin/sh\\nexit 101\\n' >"$policy" && chmod 755 "$policy" || exit 1
fi
install() { apt-get -q -y -o DPkg::Lock::Timeout=120 --no-install-recommends install "$@"; }
install "$@" || { apt-get -q update && install "$@"; } || exit 1
for service; do
  if [ -e "/etc/init.d/$service" ]; then update-rc.d "$service" disable || true; fi
done
`;

/**
 * Unpacks packages, and those that they need and this system has not, below a folder, for a user who may install none: apt
 * checks their signatures, and nothing of them is run. Its lists are used where there are some, else fetched into the
 * folder. `$1`: the folder, which has to be there; then packages. They end up in `$1/root`.
 */
const UNPACK_SCRIPT = `
folder=$1
shift
cd "$folder" && mkdir -p lists/partial cache/archives/partial packages || exit 1
apt() { apt-get -q -y -o Debug::NoLocking=1 -o APT::Sandbox::User= -o "Dir::Cache=$folder/cache" "$@"; }
ours="-o Dir::State::lists=$folder/lists"
missing() {
  apt $lists --print-uris --no-install-recommends --reinstall install "$@" | sed -n "s/^'.*' \\([^_ ]*\\)_.*/\\1/p"
}
lists=
names=$(missing "$@")
if [ -z "$names" ]; then
  lists=$ours
  apt $lists update || exit 1
  names=$(missing "$@")
fi
[ -n "$names" ] || exit 1
(cd packages && apt $lists download $names) || exit 1
for package in packages/*.deb; do dpkg-deb -x "$package" root || exit 1; done
rm -rf lists cache packages
`;

export interface AptResult {
  readonly installed: boolean;
  /** Why not, for the operator. */
  readonly reason: string;
}

/** Whether this system has apt and lets us install: as root, or through a sudo that asks nothing. */
export async function canInstallPackages(environment: Environment): Promise<boolean> {
  return (await installPrefix(environment)) !== undefined;
}

/** Installs Debian packages where apt and the right to use it are at hand. */
export async function installPackages(names: readonly string[], environment: Environment): Promise<AptResult> {
  const prefix = await installPrefix(environment);
  if (prefix === undefined) return { installed: false, reason: 'this user may not install system packages' };
  const [command = 'sh', ...before] = [...prefix, 'sh', '-c', INSTALL_SCRIPT, 'sh', ...names];
  const run = await runQuietly(command, before, {
    environment: systemEnvironment(environment),
    timeoutMs: INSTALL_TIMEOUT_MS,
  });
  return { installed: run.succeeded, reason: `apt-get said:\n${run.output}` };
}

/**
 * Unpacks Debian packages below a folder without installing them; no rights are needed.
 *
 * @param folder a new, absolute one, without spaces: apt takes it as a part of its options
 */
export async function unpackPackages(
  names: readonly string[],
  folder: string,
  environment: Environment,
): Promise<AptResult> {
  const path = environment['PATH'];
  if (findProgram(['apt-get'], path) === undefined || findProgram(['dpkg-deb'], path) === undefined) {
    return { installed: false, reason: 'there is no apt here' };
  }
  if (/\s/.test(folder)) return { installed: false, reason: `the name of ${folder} has a space` };
  const run = await runQuietly('sh', ['-c', UNPACK_SCRIPT, 'sh', folder, ...names], {
    environment: systemEnvironment(environment),
    timeoutMs: INSTALL_TIMEOUT_MS,
  });
  return { installed: run.succeeded, reason: `apt-get said:\n${run.output}` };
}

/** What stands before a command that root runs; `undefined` where that cannot be. */
async function installPrefix(environment: Environment): Promise<string[] | undefined> {
  const path = environment['PATH'];
  if (findProgram(['apt-get'], path) === undefined) return undefined;
  if (process.getuid?.() === 0) return [];
  const sudo = findProgram(['sudo'], path);
  if (sudo === undefined) return undefined;
  const asked = await runQuietly(sudo, ['-n', 'true'], { environment: systemEnvironment(environment) });
  return asked.succeeded ? [sudo, '-n'] : undefined;
}
