/** The table a position lies in: which columns hold secrets or versions, and the column that begins here. */
export interface TablePlace {
  /** Those of `versions` are among them. */
  readonly columns: readonly number[];
  readonly versions: readonly number[];
  /** Those that may as well hold the keys of a keyboard or of a file: what stands there has to be visibly drawn. */
  readonly keys: readonly number[];
  /** Those that hold passwords, and no keys: what stands there may be made of words. */
  readonly passwords: readonly number[];
  /** Another column holds users, mailboxes or networks: what stands beside them in a column of passwords is one. */
  readonly besideUsers: boolean;
  /** Those of `logins` hold a user and a password, those of `numbers` a PIN; they are among `columns` too. */
  readonly logins: readonly number[];
  readonly numbers: readonly number[];
  /** Each row begins with a pipe. */
  readonly enclosed: boolean;
  readonly column: number;
}

export const NO_TABLE: TablePlace = {
  columns: [],
  versions: [],
  keys: [],
  passwords: [],
  besideUsers: false,
  logins: [],
  numbers: [],
  enclosed: true,
  column: -1,
};
