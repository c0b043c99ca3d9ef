import { spawnSync } from 'node:child_process';

/** The name of a user of this machine, its number where it has none. */
export function userName(id = process.getuid?.() ?? 0): string {
  const asked = spawnSync('id', ['-un', String(id)], { encoding: 'utf8' });
  return asked.status === 0 ? asked.stdout.trim() : String(id);
}

/** The numbers of a user of this machine and of their group; `undefined` where there is no such user. */
export function userNumbers(name: string): { readonly uid: number; readonly gid: number } | undefined {
  const [uid, gid] = ['-u', '-g'].map((option) => spawnSync('id', [option, '--', name], { encoding: 'utf8' }));
  if (uid?.status !== 0 || gid?.status !== 0) return undefined;
  return { uid: Number(uid.stdout), gid: Number(gid.stdout) };
}
