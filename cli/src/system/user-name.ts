import { spawnSync } from 'node:child_process';

/** The name of a user of this machine, its number where it has none. */
export function userName(id = process.getuid?.() ?? 0): string {
  const asked = spawnSync('id', ['-un', String(id)], { encoding: 'utf8' });
  return asked.status === 0 ? asked.stdout.trim() : String(id);
}
