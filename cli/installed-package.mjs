// What is done once the npm package's dependencies are installed: plain JavaScript for Node 20. Not before: a version that
// cannot be installed must leave the earlier one as it was, with the command that runs it.
import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/**
 * Makes the installation's command run this version, and removes the others.
 *
 * @param place `root` of the sources, `folder` of the installation, and its `home`
 */
export function takeOver(place) {
  writeLauncher(place);
  removeOthers(place);
}

/** As `lontar.mjs` names them: version and digest. Drafts that were left have more behind. */
const PLACED_APP = /^\d[\w.+-]{0,63}-[0-9a-f]{8}(?:\.[0-9a-f]{16}\.partial)?$/;

/**
 * Whether sources are where `lontar.mjs` has put them, in an installation's `app` folder. A clone is not, whatever its
 * environment says: what is beside a clone is its owner's.
 */
export function isPlacedApp(root) {
  if (basename(dirname(root)) !== 'app' || !PLACED_APP.test(basename(root))) return false;
  return existsSync(join(root, 'dist', 'lockfile.json')) && !existsSync(join(root, '.git'));
}

/** Earlier versions, unless one of them may be running; nothing else that is there. */
function removeOthers({ root, home }) {
  if (!isPlacedApp(root) || existsSync(join(home, 'run', 'launcher.pid'))) return;
  const apps = dirname(root);
  for (const name of readdirSync(apps)) {
    if (name !== basename(root) && PLACED_APP.test(name)) rmSync(join(apps, name), { recursive: true, force: true });
  }
}

/** A command that runs this version from anywhere, for the operator and for systemd. */
function writeLauncher({ root, folder, home }) {
  const quoted = (text) => `'${text.replaceAll("'", `'\\''`)}'`;
  const path = join(home, 'lontar');
  const text = [
    '#!/bin/sh',
    `export LONTAR_FOLDER=${quoted(folder)}`,
    ...(process.env.LONTAR_HOME ? [`export LONTAR_HOME=${quoted(home)}`] : []),
    `exec ${quoted(process.execPath)} ${quoted(join(root, 'cli', 'lontar.mjs'))} "$@"`,
    '',
  ].join('\n');
  if (existsSync(path) && readFileSync(path, 'utf8') === text) return;
  const draft = `${path}.${randomBytes(8).toString('hex')}.partial`;
  writeFileSync(draft, text, { mode: 0o700, flag: 'wx' });
  chmodSync(draft, 0o700);
  renameSync(draft, path);
}
