import { z } from 'zod';
import type { AdminError } from './admin-errors.ts';
import type { AdminRole } from './admin-token.ts';
import type { AuditAction } from './audit.ts';

/** One operation of the admin API. stats-service serves this table, and the gateway documents it. */
export interface AdminOperation {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** A part `:name` takes one segment. */
  readonly path: string;
  /** The least role that may. */
  readonly role: AdminRole;
  /** What a refusal for the role is noted as. */
  readonly action: AuditAction;
  readonly summary: string;
  readonly description?: string;
  /** Each as text, as it stands in the query; all are optional. */
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType;
  /** Where it says which state is to be changed: `required` or not. */
  readonly ifMatch?: 'required' | 'optional';
  /** Whether it takes an Idempotency-Key. */
  readonly idempotent?: true;
  readonly status: 200 | 201;
  readonly result: z.ZodType;
  /** Whether it is answered in another form than JSON: `result` is then not looked at. */
  readonly media?: 'text/csv';
  /** Whether the answer has the ETag of the state that it shows. */
  readonly hasETag?: true;
  /** Whether a 400 may name every problem of a key's fields. */
  readonly tellsProblems?: true;
  /** Besides what every operation may be refused for. */
  readonly refusals: readonly AdminError[];
}

/** Entries of a page, as a query says it. */
export const PAGE = z.string().regex(/^(?:[1-9]\d?|1\d\d|200)$/, 'must be a whole number from 1 to 200');
