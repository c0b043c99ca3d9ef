import type { Environment } from '@lontar/shared/config/read-config.ts';
import { canInstallPackages, installPackages } from '../system/apt.ts';
import { findProgram } from '../system/programs.ts';
import { type ProgressStream, withProgress } from '../system/progress.ts';

/** A program that some tests need, and the Debian package that has it. */
interface TestProgram {
  readonly names: readonly string[];
  readonly debianPackage: string;
  readonly neededFor: string;
}

const REDIS: TestProgram = {
  names: ['redis-server', 'valkey-server'],
  debianPackage: 'redis-server',
  neededFor: 'integration and end-to-end tests',
};

const PROGRAMS: readonly TestProgram[] = [
  REDIS,
  { names: ['chromium', 'chromium-browser', 'google-chrome'], debianPackage: 'chromium', neededFor: 'browser tests' },
  { names: ['curl'], debianPackage: 'curl', neededFor: 'the test of the first run' },
  { names: ['nginx'], debianPackage: 'nginx-light', neededFor: 'tests behind nginx' },
  { names: ['caddy'], debianPackage: 'caddy', neededFor: 'tests behind Caddy' },
  { names: ['openssl'], debianPackage: 'openssl', neededFor: 'tests of HTTPS behind a proxy' },
  { names: ['faketime'], debianPackage: 'faketime', neededFor: 'the test of clocks that jump' },
  { names: ['promtool'], debianPackage: 'prometheus', neededFor: 'tests of metrics and alerts' },
  {
    names: ['prometheus-alertmanager', 'alertmanager'],
    debianPackage: 'prometheus-alertmanager',
    neededFor: 'the test that an alert arrives',
  },
];

/**
 * Installs the system programs that tests need, as far as this machine lets us.
 *
 * @returns whether the tests can run at all: without Redis they cannot
 */
export async function installTestPrograms(environment: Environment, stream: ProgressStream): Promise<boolean> {
  const missing = missingPrograms(environment);
  if (missing.length > 0 && (await canInstallPackages(environment))) {
    const packages = missing.map(({ debianPackage }) => debianPackage);
    const result = await withProgress(`Installing ${packages.join(', ')} through apt`, stream, () =>
      installPackages(packages, environment),
    );
    if (!result.installed) stream.write(`${result.reason}\n`);
  }
  const stillMissing = missingPrograms(environment);
  for (const { names, neededFor, debianPackage } of stillMissing) {
    stream.write(`There is no ${names[0] ?? ''} here, needed for ${neededFor} (Debian package ${debianPackage}).\n`);
  }
  return !stillMissing.includes(REDIS);
}

function missingPrograms(environment: Environment): TestProgram[] {
  return PROGRAMS.filter(({ names }) => findProgram(names, environment['PATH']) === undefined);
}
