import type { AuditEntry } from '@lontar/shared/admin/audit.ts';

/** One field of what was changed; `undefined` where it was not there. */
export interface Change {
  readonly name: string;
  readonly was: string | undefined;
  readonly is: string | undefined;
}

/** The fields that differ, by name. */
export function changesOf({ before, after }: Pick<AuditEntry, 'before' | 'after'>): readonly Change[] {
  const names = new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})]);
  return [...names].toSorted().map((name) => ({
    name,
    was: textOf(name, before),
    is: textOf(name, after),
  }));
}

/** Times stand in the log as Unix ms. */
function textOf(name: string, facts: AuditEntry['before']): string | undefined {
  if (facts === null || !Object.hasOwn(facts, name)) return undefined;
  const value = facts[name];
  const isTime = /(?:at|until)$/i.test(name) && /^\d{12,14}$/.test(String(value));
  if (isTime) return new Date(Number(value)).toISOString();
  return typeof value === 'string' ? value : JSON.stringify(value);
}
