import type { Memory } from './memory.ts';
import type { NameKind, SecretName } from './secret-name.ts';

/**
 * The name that was asked last, and whether it is given anything: `api`, `apikey` and `key` in `live_apikey_` are three
 * anchors of one name. What the name of a secret is not given, a weak one is not given either; and a value behind an
 * operator is found once.
 */
class NameAsked {
  private start = -1;
  private end = -1;
  private kind: NameKind | undefined;
  private found = false;

  knows({ start, end, kind }: SecretName): boolean {
    if (start !== this.start || end !== this.end) return false;
    if (kind === this.kind || (kind === 'weak' && this.kind === 'secret')) return true;
    return this.found && MEAN_THE_SAME.has(kind) && this.kind !== undefined && MEAN_THE_SAME.has(this.kind);
  }

  remember({ start, end, kind }: SecretName, found: boolean): void {
    this.start = start;
    this.end = end;
    this.kind = kind;
    this.found = found;
  }

  forget(): void {
    this.start = -1;
  }
}

/** Kinds that read the same value behind an operator, and only ask more or less of it. */
const MEAN_THE_SAME: ReadonlySet<NameKind> = new Set(['weak', 'secret', 'glued'] as const);

export const NAME_ASKED: Memory<NameAsked> = { begin: () => new NameAsked(), forget: (asked) => asked.forget() };
