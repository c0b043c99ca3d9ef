import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { gunzipSync, gzipSync } from 'node:zlib';

export type BackupLine = Record<string, unknown>;

/** The lines of a backup but its signature; the last is its end. */
export function readBackupLines(file: string): BackupLine[] {
  const lines = gunzipSync(readFileSync(file)).toString().trimEnd().split('\n');
  return lines.filter((text) => text.startsWith('{')).map((text) => JSON.parse(text) as BackupLine);
}

/** Writes lines as a whole backup, unsigned. For tests only; the end's counts are those of the lines. */
export function writeBackupLines(file: string, lines: readonly BackupLine[]): void {
  const content = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
  const isLast = (line: BackupLine) => line['more'] !== true;
  const end = {
    end: true,
    keys: lines.filter((line) => 'key' in line && isLast(line)).length,
    files: lines.filter((line) => 'file' in line && isLast(line)).length,
    sha256: createHash('sha256').update(content).digest('hex'),
  };
  writeFileSync(file, gzipSync(`${content}${JSON.stringify(end)}\n`));
}

/** Changes lines of a backup and seals it again, as any person can who has it: whole, but without a signature. */
export function rewriteBackup(file: string, change: (line: BackupLine) => BackupLine): void {
  writeBackupLines(file, readBackupLines(file).slice(0, -1).map(change));
}
