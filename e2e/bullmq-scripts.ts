/**
 * What changed in BullMQ's own scripts between two versions: whole, in those that ours stand for; by name, in all others.
 * To be read before BullMQ is upgraded. `node e2e/bullmq-scripts.ts [OLD] NEW`; OLD is the version that is installed.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** What admit.lua, turn.lua, give-back.lua and remove.lua do instead of BullMQ. */
const REPLACED = ['addStandardJob', 'moveToActive', 'moveToFinished', 'moveJobFromActiveToWait', 'removeJob'];
const INSTALLED = new URL('../node_modules/bullmq/package.json', import.meta.url);

const versions = process.argv.slice(2);
const installed = (JSON.parse(readFileSync(INSTALLED, 'utf8')) as { version: string }).version;
const [from, to] = versions.length === 1 ? [installed, versions[0]] : versions;
if (from === undefined || to === undefined) {
  console.error('node e2e/bullmq-scripts.ts [OLD] NEW, as in: node e2e/bullmq-scripts.ts 6.8.0');
  process.exit(2);
}

const folder = mkdtempSync(join(tmpdir(), 'lontar-bullmq-'));
try {
  const [before, after] = [from, to].map((version) => scriptsOf(version));
  compare(before ?? new Map(), after ?? new Map());
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** @returns the path of each script and include of a version, by its name without the number of its keys */
function scriptsOf(version: string): Map<string, string> {
  const own = join(folder, version);
  execFileSync('mkdir', ['-p', own]);
  const archive = execFileSync('npm', ['pack', '--silent', `bullmq@${version}`], { cwd: own, encoding: 'utf8' }).trim();
  execFileSync('tar', ['xzf', archive], { cwd: own });
  const commands = join(own, 'package/dist/esm/commands');
  const files = readdirSync(commands, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.lua'));
  return new Map(files.map((file) => [file.replace(/(?:-\d+)?\.lua$/, ''), join(commands, file)]));
}

function compare(before: Map<string, string>, after: Map<string, string>): void {
  const ours = new Set([...withIncludes(before), ...withIncludes(after)]);
  const others: string[] = [];
  let changed = 0;
  for (const name of [...new Set([...before.keys(), ...after.keys()])].toSorted()) {
    const diff = difference(before.get(name), after.get(name));
    if (diff === '') continue;
    if (ours.has(name)) {
      changed++;
      console.log(`## ${name}\n\n${diff}`);
    } else others.push(name);
  }
  console.log(
    `${from} to ${to}: ${changed} of the ${ours.size} scripts and includes that ours stand for have changed.`,
  );
  console.log(`Others that have changed: ${others.length === 0 ? 'none' : others.join(', ')}.`);
}

/** The scripts that ours stand for, with all that they include. */
function withIncludes(scripts: Map<string, string>): Set<string> {
  const seen = new Set<string>();
  const add = (name: string) => {
    const path = scripts.get(name);
    if (path === undefined || seen.has(name)) return;
    seen.add(name);
    for (const [, included = ''] of readFileSync(path, 'utf8').matchAll(/@include "(?:includes\/)?([^"]+)"/g)) {
      add(`includes/${included}`);
    }
  };
  for (const name of REPLACED) add(name);
  return seen;
}

function difference(before = '/dev/null', after = '/dev/null'): string {
  const { stdout } = spawnSync('diff', ['-u', before, after], { encoding: 'utf8' });
  return stdout.split('\n').slice(2).join('\n');
}
