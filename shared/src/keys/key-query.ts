export const KEY_STATES = ['active', 'expired', 'revoked'] as const;
export type KeyState = (typeof KEY_STATES)[number];

export const KEY_ORDERS = ['created', 'name', 'used'] as const;
export type KeyOrder = (typeof KEY_ORDERS)[number];

export interface KeyQuery {
  /**
   * The beginning of the name, of one of its words or of the owner, in small letters or capitals; or an id. What is found
   * is in the order of what was found.
   */
  readonly search?: string | undefined;
  /** The owner exactly as it was written. */
  readonly owner?: string | undefined;
  readonly state?: KeyState | undefined;
  /** By time of creation unless given. A search has an order of its own; keys of one owner are by time of creation. */
  readonly sort?: KeyOrder | undefined;
  readonly descending?: boolean | undefined;
  /** Keys of a page, 1 to 200; 50 unless given. */
  readonly limit?: number | undefined;
  /** From the page before. */
  readonly cursor?: string | undefined;
}

export const MOST_LISTED_KEYS = 200;
