import type { ChangedField } from './key-changes.ts';
import type { KeyInUse } from './read-key.ts';

/** Why a key cannot be made, shown or changed as it was asked. Its message is a sentence for who asked. */
export abstract class KeyRefusal extends Error {
  abstract readonly code: string;

  constructor(message: string) {
    super(message);
    this.name = new.target.name;
  }
}

export class KeyNotFound extends KeyRefusal {
  readonly code = 'key_not_found';

  constructor(id: string) {
    super(`There is no key ${id}.`);
  }
}

export class KeyRevoked extends KeyRefusal {
  readonly code = 'key_revoked';

  constructor(id: string) {
    super(`The key ${id} is revoked.`);
  }
}

/** A record has room for one earlier secret, and that is still good. */
export class OverlapRuns extends KeyRefusal {
  readonly code = 'overlap_runs';
  /** Unix ms. */
  readonly untilMs: number;

  constructor(id: string, untilMs: number) {
    super(
      `The key ${id} was rotated before, and its secret from before then is good until ${new Date(untilMs).toISOString()}; another rotation would end it at once. Nothing was changed.`,
    );
    this.untilMs = untilMs;
  }
}

/** The key is not as who changes it has seen it. */
export class KeyChanged extends KeyRefusal {
  readonly code = 'key_changed';
  readonly current: KeyInUse;
  /** What has been changed since; `undefined` where that is too long ago to be known. */
  readonly fields: readonly ChangedField[] | undefined;

  constructor(current: KeyInUse, expected: number, fields: readonly ChangedField[] | undefined) {
    const what = fields === undefined ? 'It has been changed' : `Changed since: ${fields.join(', ')}`;
    super(`The key ${current.id} has version ${current.version}, not ${expected}. ${what}. Nothing was changed.`);
    this.current = current;
    this.fields = fields;
  }
}

/** The request that is repeated has made a key that is not as it was made any more, or has been deleted. */
export class KeyMadeBefore extends KeyRefusal {
  readonly code = 'key_made_before';

  constructor(id: string) {
    super(`This request has made the key ${id} before, which has since been rotated or deleted.`);
  }
}

/** Others changed the name or owner of the key, again and again, while this change was made. */
export class KeyContended extends KeyRefusal {
  readonly code = 'key_contended';

  constructor() {
    super('Others are changing this key at the same time. Nothing was changed. Try again.');
  }
}

/** A record that is there but makes no sense. */
export class UnreadableKey extends KeyRefusal {
  readonly code = 'unreadable_key';

  constructor(id: string, problems: readonly { path: readonly PropertyKey[]; message: string }[]) {
    const described = problems.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ');
    super(`The record of the key ${id} cannot be read: ${described}`);
  }
}

/** A field that breaks its rule. */
export interface TermProblem {
  readonly field: string;
  /** What it must be, to be put behind the field's name. */
  readonly rule: string;
}

export class InvalidTerms extends KeyRefusal {
  readonly code = 'invalid_terms';
  readonly problems: readonly TermProblem[];

  constructor(problems: readonly TermProblem[]) {
    super(problems.map(({ field, rule }) => `${field} ${rule}`).join('; '));
    this.problems = problems;
  }
}
