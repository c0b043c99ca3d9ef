import { randomBytes } from 'node:crypto';
import type { AdminRole } from '@lontar/shared/admin/admin-token.ts';
import { createAdminToken } from '@lontar/shared/admin/admin-tokens.ts';
import type { TestRedis } from '@lontar/shared/testing/redis-server.ts';
import { type RunningService, runService } from './running-service.ts';

/** An answer of the admin API. */
export interface AdminReply {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Readonly<Record<string, unknown>>;
  readonly result: Readonly<Record<string, unknown>>;
}

export interface AdminAsk {
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
  readonly from?: string;
}

export interface AdminService extends RunningService {
  readonly pepper: string;
  /** Makes a token of a role. */
  makeToken(role: AdminRole, expiresAt?: number): Promise<{ readonly id: string; readonly token: string }>;
  /** Asks the admin API: `GET /keys/…` under `/admin/v1`, with a token unless that is empty. */
  admin(token: string, request: string, ask?: AdminAsk): Promise<AdminReply>;
}

/**
 * A stats-service that has the admin API.
 *
 * @throws when it does not start
 */
export async function runAdminService(redis: TestRedis, settings: Record<string, string> = {}): Promise<AdminService> {
  const pepper = randomBytes(32).toString('base64url');
  const service = await runService(redis, { KEY_PEPPER: pepper, ...settings });
  return {
    ...service,
    pepper,
    async makeToken(role, expiresAt) {
      const terms = { name: `a ${role}`, role, ...(expiresAt === undefined ? {} : { expiresAt }) };
      const made = await createAdminToken(redis.client, pepper, terms, { by: 'cli', id: 'tester' });
      if (made === 'full') throw new Error(made);
      return { id: made.record.id, token: made.token };
    },
    async admin(token, request, { body, headers = {}, from } = {}) {
      const [method = '', path = ''] = request.split(' ');
      const answer = await service.ask(`/admin/v1${path}`, {
        method,
        headers: { ...(token === '' ? {} : { authorization: `Bearer ${token}` }), ...headers },
        ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
        ...(from === undefined ? {} : { from }),
      });
      const text = await answer.text();
      const isJson = answer.headers.get('content-type')?.startsWith('application/json') === true;
      const read = (isJson ? JSON.parse(text) : { text }) as AdminReply['body'];
      const result = (read['result'] ?? {}) as AdminReply['result'];
      return { status: answer.status, headers: answer.headers, body: read, result };
    },
  };
}
