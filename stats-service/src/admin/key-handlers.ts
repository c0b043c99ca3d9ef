import { ADMIN_REASONS, type AdminReason, adminFailure } from '@lontar/shared/admin/admin-errors.ts';
import type { KeyUse, rotationSchema } from '@lontar/shared/admin/admin-schemas.ts';
import { type HttpAnswer, success, successBody } from '@lontar/shared/http/envelope.ts';
import { deleteKey, revokeKey, rotateKey, updateKey } from '@lontar/shared/keys/change-key.ts';
import { createKey } from '@lontar/shared/keys/create-key.ts';
import type { KeyQuery } from '@lontar/shared/keys/key-query.ts';
import { InvalidTerms, KeyChanged, KeyNotFound, KeyRefusal, UnreadableKey } from '@lontar/shared/keys/key-refusals.ts';
import { keyTermsSchema, newKeySchema, readTerms } from '@lontar/shared/keys/key-rules.ts';
import { viewKey } from '@lontar/shared/keys/key-view.ts';
import { listKeys } from '@lontar/shared/keys/list-keys.ts';
import { type KeyInUse, keysNow, showKey } from '@lontar/shared/keys/read-key.ts';
import type { z } from 'zod';
import type { AdminCall, AdminDeps } from './admin-call.ts';
import { readKeyUse } from './key-use.ts';

/** A repeat of a request that makes a key gives the key again for so long, ms: a person who steals a token later learns none. */
const REPEATED_MS = 24 * 3_600_000;

/*
 * Handlers of keys. Each rejects when Redis fails; whether the change was made is then unknown. All changes are repeatable
 * but a rotation without an overlap.
 */

/**
 * @returns with the key itself: 201, also where a repeat gives it again
 * @throws when Redis fails; a repeat with the same Idempotency-Key finds out
 */
export function makeKey({ changes, pepper }: AdminDeps, call: AdminCall): Promise<HttpAnswer> {
  const { actor, idempotencyKey } = call;
  return inAnswers(() =>
    changes.run(async (redis) => {
      const now = await keysNow(redis);
      const terms = readTerms(newKeySchema, call.body, now);
      // Two tokens may use the same Idempotency-Key for requests of their own.
      const seed = idempotencyKey === undefined ? {} : { seed: `${actor.by} ${actor.id} ${idempotencyKey}` };
      const { key, record, repeated, sameTerms } = await createKey({ redis, pepper }, terms, { actor, ...seed });
      if (!sameTerms) {
        const message = `This Idempotency-Key has made the key ${record.id} with other terms. Take another one for another key.`;
        return adminFailure('reused', message);
      }
      if (repeated && now - record.createdAt > REPEATED_MS) {
        const message = `This Idempotency-Key has made the key ${record.id} more than 24 hours ago. It is shown no more.`;
        return adminFailure('conflict', message, { reason: 'key_made_long_ago' });
      }
      return keyAnswer(201, record, now, { key });
    }),
  );
}

/** @throws when Redis fails */
export function tellKeys({ redis }: AdminDeps, { query }: AdminCall): Promise<HttpAnswer> {
  return inAnswers(async () => {
    const { limit, descending, use, ...rest } = query;
    const asked = {
      ...rest,
      descending: descending === 'true',
      limit: limit === undefined ? undefined : Number(limit),
    };
    // The operation's schema has judged the words.
    const [page, now] = await Promise.all([listKeys(redis, asked as KeyQuery), keysNow(redis)]);
    const used = use === 'true' ? await readKeyUse(redis, page.keys, now) : undefined;
    const keys = page.keys.map((key) => Object.assign(viewKey(key, now), useOf(used, key)));
    return success({ keys, unreadable: page.unreadable.map(({ message }) => message), cursor: page.cursor });
  });
}

/** @throws when Redis fails */
export function tellKey({ redis }: AdminDeps, { params, query }: AdminCall): Promise<HttpAnswer> {
  return inAnswers(async () => {
    const [record, now] = await Promise.all([showKey(redis, idOf(params)), keysNow(redis)]);
    const used = query['use'] === 'true' ? await readKeyUse(redis, [record], now) : undefined;
    return keyAnswer(200, record, now, useOf(used, record));
  });
}

/** @throws when Redis fails; whether the key was changed is then unknown */
export function changeKey(
  { changes }: AdminDeps,
  { actor, params, body, expectedVersion }: AdminCall,
): Promise<HttpAnswer> {
  return inAnswers(() =>
    changes.run(async (redis) => {
      const terms = readTerms(keyTermsSchema, body, await keysNow(redis));
      const { record } = await updateKey(redis, idOf(params), terms, { actor, expectedVersion });
      return keyAnswer(200, record, await keysNow(redis));
    }),
  );
}

/** @throws when Redis fails; which secret is good is then unknown */
export function renewKey(
  { changes, pepper }: AdminDeps,
  { actor, params, body, expectedVersion }: AdminCall<z.output<typeof rotationSchema>>,
): Promise<HttpAnswer> {
  return inAnswers(() =>
    changes.run(async (redis) => {
      const terms = { actor, expectedVersion, overlapMs: body.overlapSeconds * 1_000, endOverlap: body.endOverlap };
      const { key, record } = await rotateKey({ redis, pepper }, idOf(params), terms);
      return keyAnswer(200, record, await keysNow(redis), { key });
    }),
  );
}

/** @throws when Redis fails; whether the key was revoked is then unknown */
export function endKey({ changes }: AdminDeps, { actor, params, expectedVersion }: AdminCall): Promise<HttpAnswer> {
  return inAnswers(() =>
    changes.run(async (redis) => {
      const { record } = await revokeKey(redis, idOf(params), { actor, expectedVersion });
      return keyAnswer(200, record, await keysNow(redis));
    }),
  );
}

/** @throws when Redis fails; whether the key was removed is then unknown */
export function removeKey({ changes }: AdminDeps, { actor, params, expectedVersion }: AdminCall): Promise<HttpAnswer> {
  return inAnswers(() =>
    changes.run(async (redis) => {
      const id = idOf(params);
      await deleteKey(redis, id, { actor, expectedVersion });
      return { status: 200, body: successBody(200, { id, deleted: true }) };
    }),
  );
}

function keyAnswer(
  status: 200 | 201,
  record: KeyInUse,
  now: number,
  more: { readonly key?: string; readonly use?: KeyUse } = {},
): HttpAnswer {
  const headers = { etag: `"${record.version}"` };
  return { status, headers, body: successBody(status, { ...viewKey(record, now), ...more }) };
}

function useOf(used: ReadonlyMap<string, KeyUse> | undefined, { id }: KeyInUse): { readonly use?: KeyUse } {
  const use = used?.get(id);
  return use === undefined ? {} : { use };
}

/** Says a refusal of the key store as an answer. */
async function inAnswers(work: () => Promise<HttpAnswer>): Promise<HttpAnswer> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof KeyRefusal)) throw error;
    if (error instanceof InvalidTerms)
      return adminFailure('invalid', error.message, { facts: { problems: error.problems } });
    if (error instanceof KeyNotFound) return adminFailure('not_found', error.message);
    if (error instanceof UnreadableKey) return adminFailure('unreadable', error.message);
    if (!(error instanceof KeyChanged)) return adminFailure('conflict', error.message, { reason: conflictOf(error) });
    const { current, fields = null } = error;
    const headers = { etag: `"${current.version}"` };
    return adminFailure('changed', error.message, { headers, facts: { changed: fields, version: current.version } });
  }
}

function conflictOf({ code }: KeyRefusal): AdminReason {
  return ADMIN_REASONS.conflict.find((known) => known === code) ?? 'conflict';
}

function idOf(params: AdminCall['params']): string {
  return params['id'] ?? '';
}
