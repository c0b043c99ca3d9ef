import { redisKeys } from '../redis-keys.ts';

/** The sets that keys are listed by, in the order of the scripts that keep them. */
export const INDEX_KEYS = [
  redisKeys.apiKeyIndex,
  redisKeys.apiKeyTexts,
  redisKeys.apiKeyUse,
  redisKeys.apiKeysOf('active'),
  redisKeys.apiKeysOf('expired'),
  redisKeys.apiKeysOf('revoked'),
  redisKeys.apiKeysExpiring,
] as const;

/** The keys of the scripts that write API keys, in the order of includes/key-scripts.lua. */
export function keysOf(id: string): string[] {
  return [
    redisKeys.apiKey(id),
    redisKeys.apiKeyIndex,
    redisKeys.keyHour(id),
    redisKeys.keyFreeFailures(id),
    redisKeys.keyDeleted(id),
    ...INDEX_KEYS.slice(1),
    redisKeys.apiKeysDeleted,
    redisKeys.audit,
  ];
}

/** Fields of a record as they are stored. */
export type Fields = Readonly<Record<string, string>>;

/** What a script that writes a key answers. */
export type KeyReply =
  | { readonly status: 'changed'; readonly before: Fields; readonly after: Fields }
  | { readonly status: 'missing' | 'revoked' | 'same' | 'gone' | 'moved' }
  | { readonly status: 'repeated' | 'taken'; readonly madeFrom: string }
  | { readonly status: 'overlap'; readonly earlierUntil: number }
  | { readonly status: 'expected'; readonly version: number; readonly changes: string };

/** @throws SyntaxError where a script answers something else than JSON */
export function readReply(reply: unknown): KeyReply {
  return JSON.parse(String(reply)) as KeyReply;
}
