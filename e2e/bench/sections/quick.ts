import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '../../harness/launch.ts';
import { median } from '../measure.ts';
import { describeCheckout, measureCheckouts } from './checkouts.ts';

const ROUNDS = 14;
const SECONDS = 2;

/**
 * One ratio for daily use, in three minutes: what a request costs now, times what it cost in the last commit; where nothing
 * is changed, the last commit against the one before.
 *
 * @returns lines for a person
 * @throws where this is no Git checkout, or as `measureCheckouts`
 */
export async function measureQuickly(): Promise<string[]> {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).trim();
  const commit = git('status', '--porcelain', '--untracked-files=no') === '' ? 'HEAD~1' : 'HEAD';
  const folder = mkdtempSync(join(tmpdir(), 'lontar-bench-before-'));
  try {
    const before = join(folder, 'before');
    mkdirSync(before);
    const archive = execFileSync('git', ['archive', commit], { cwd: ROOT, maxBuffer: 1_000_000_000 });
    execFileSync('tar', ['x', '-C', before], { input: archive });
    // Links of workspaces lead into the copy, because they are relative.
    const modules = join(ROOT, 'node_modules');
    try {
      execFileSync('cp', ['-al', modules, `${before}/`], { stdio: 'ignore' });
    } catch {
      // Another file system.
      execFileSync('cp', ['-a', modules, `${before}/`]);
    }
    const [then, now] = await measureCheckouts(
      [
        { name: `before (${git('rev-parse', '--short', commit)})`, root: before },
        { name: 'now', root: ROOT },
      ],
      { rounds: ROUNDS, seconds: SECONDS, connections: 100 },
    );
    if (then === undefined || now === undefined) return [];
    // Round by round: what disturbs the machine for longer than a round disturbs both.
    const ratios = now.rounds
      .map((micros, round) => micros / (then.rounds[round] ?? Number.NaN))
      .toSorted((a, b) => a - b);
    const at = (share: number) => (ratios[Math.round(share * (ratios.length - 1))] ?? Number.NaN).toFixed(2);
    return [
      describeCheckout(then),
      describeCheckout(now),
      `A request costs ${median(ratios).toFixed(2)} × of what it cost before (half of the rounds between ${at(0.25)} and ${at(0.75)}).`,
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
