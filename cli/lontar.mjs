#!/usr/bin/env node
// The command `lontar` of the npm package, plain JavaScript for Node 20. The folder that it is run in is the installation:
// `.env` and `.lontar` are there. Node strips no types under `node_modules`, so the sources are copied into the
// installation first, where the dependencies of the lockfile are installed beside them, once for each version.
import { createHash, randomBytes } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const packageRoot = dirname(dirname(fileURLToPath(import.meta.url)));
const folder = resolve(process.env.LONTAR_FOLDER || '.');
const home = resolve(folder, process.env.LONTAR_HOME || '.lontar');
const apps = join(home, 'app');

if (Number(process.versions.node.split('.')[0]) < 20) {
  process.stderr.write(
    `Lontar needs Node 20 or later to start with, and this is Node ${process.versions.node}. Install a later one from https://nodejs.org, then run the same command again.\n`,
  );
  process.exit(1);
}
try {
  const root = isUnderNodeModules(packageRoot) ? placeApp() : packageRoot;
  if (root !== packageRoot || packageRoot.startsWith(apps + sep)) {
    process.env.LONTAR_FOLDER = folder;
    process.env.LONTAR_COMMAND ||= commandOf(join(home, 'lontar'));
  }
  const args = process.argv.slice(2);
  process.argv.splice(2, args.length, ...(args[0] === 'start' ? args : ['lontar', ...args]));
  await import(pathToFileURL(join(root, 'cli', 'bootstrap.mjs')).href);
} catch (error) {
  if (error?.syscall === undefined) throw error;
  process.stderr.write(
    `LONTAR_HOME=${home} cannot be used (${error.code}); run this in a folder that this user may write to, or set LONTAR_HOME to one.\n`,
  );
  process.exit(2);
}

function isUnderNodeModules(path) {
  return path.split(sep).includes('node_modules');
}

/** The sources as they are in this package, in the installation; whole or not at all. */
function placeApp() {
  const { version } = JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8'));
  const place = join(apps, `${version}-${digestOf(packageRoot)}`);
  if (existsSync(place)) return place;
  makeFolders(apps);
  const draft = `${place}.${randomBytes(8).toString('hex')}.partial`;
  cpSync(packageRoot, draft, { recursive: true, filter: (path) => relative(packageRoot, path) !== 'node_modules' });
  cpSync(join(draft, 'dist', 'lockfile.json'), join(draft, 'package-lock.json'));
  try {
    renameSync(draft, place);
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    // Another command was quicker.
    if (!existsSync(place)) throw error;
  }
  return place;
}

/** Tells two packages of one version apart. */
function digestOf(root) {
  const hash = createHash('sha256');
  const add = (path) => {
    for (const entry of readdirSync(path, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const file = join(path, entry.name);
      if (entry.name === 'node_modules') continue;
      if (entry.isDirectory()) add(file);
      else hash.update(`${relative(root, file)}\0`).update(readFileSync(file));
    }
  };
  add(root);
  return hash.digest('hex').slice(0, 8);
}

/** One after the other: Node's own `recursive` never ends where a folder refuses to have another one, as /proc does. */
function makeFolders(path) {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return;
  if (dirname(path) !== path) makeFolders(dirname(path));
  mkdirSync(path, { mode: 0o700 });
}

/** As it is typed where this command was. */
function commandOf(launcher) {
  const near = relative(process.cwd(), launcher);
  return near.startsWith('..') ? launcher : `./${near}`;
}
