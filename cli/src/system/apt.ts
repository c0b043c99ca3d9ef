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
