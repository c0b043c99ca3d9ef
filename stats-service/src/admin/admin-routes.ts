import { adminFailure } from '@lontar/shared/admin/admin-errors.ts';
import type { AdminOperation } from '@lontar/shared/admin/admin-operation.ts';
import {
  ADMIN_OPERATIONS,
  type AdminOperationId,
  IDEMPOTENCY_KEY_PATTERN,
} from '@lontar/shared/admin/admin-operations.ts';
import { mayAs } from '@lontar/shared/admin/admin-token.ts';
import { noteRefused } from '@lontar/shared/admin/audit.ts';
import type { Route } from '@lontar/shared/http/app.ts';
import type { HttpAnswer } from '@lontar/shared/http/envelope.ts';
import type { AdminOutcome } from '@lontar/shared/stats-metrics.ts';
import type { Asked } from '../asked.ts';
import type { AdminCall, AdminDeps, AdminHandler } from './admin-call.ts';
import { identifyOperator, type Operator } from './identify-operator.ts';
import { changeKey, endKey, makeKey, removeKey, renewKey, tellKey, tellKeys } from './key-handlers.ts';
import { tellModels } from './model-handlers.ts';
import {
  addBan,
  endSession,
  holdOrRelease,
  liftBan,
  tellAudit,
  tellBans,
  tellCounters,
  tellQueue,
  tellSessions,
} from './service-handlers.ts';
import { tellUsage, tellUsageAsCsv } from './usage-handlers.ts';

const HANDLERS: Readonly<Record<AdminOperationId, AdminHandler>> = {
  listKeys: tellKeys,
  createKey: makeKey,
  showKey: tellKey,
  updateKey: changeKey,
  rotateKey: renewKey,
  revokeKey: endKey,
  deleteKey: removeKey,
  listUsage: tellUsage,
  downloadUsage: tellUsageAsCsv,
  showCounters: tellCounters,
  listModels: tellModels,
  showQueue: tellQueue,
  pauseQueue: holdOrRelease('pause'),
  resumeQueue: holdOrRelease('resume'),
  listBans: tellBans,
  blockAddress: addBan,
  liftBan,
  listSessions: tellSessions,
  endSession,
  readAudit: tellAudit,
};

/** The rules of keys go by Redis's clock, see readTerms. */
const READ_BY_HANDLER: ReadonlySet<AdminOperationId> = new Set(['createKey', 'updateKey']);

/**
 * The routes of the admin API: each finds out who asks, refuses what their role may not, and reads what the operation
 * takes. Handlers reject when Redis fails.
 *
 * @param report called with what came of each request that was answered
 */
export function createAdminRoutes(deps: AdminDeps, report: (outcome: AdminOutcome) => void): Route<Asked>[] {
  return Object.entries<AdminOperation>(ADMIN_OPERATIONS).map(([id, operation]) => ({
    method: operation.method,
    path: operation.path,
    handle: async (asked) => {
      const answer = await serve(deps, id as AdminOperationId, operation, asked);
      report(outcomeOf(answer.status));
      return answer;
    },
  }));
}

async function serve(
  deps: AdminDeps,
  id: AdminOperationId,
  operation: AdminOperation,
  asked: Asked,
): Promise<HttpAnswer> {
  const operator = await identifyOperator(deps, asked);
  if (!('role' in operator)) return operator;
  if (!mayAs(operator.role, operation.role)) return refuseRole(deps, operation, operator, asked);
  const call = readCall(id, operation, asked, operator);
  return 'status' in call ? call : HANDLERS[id](deps, call as AdminCall<never>);
}

/** Noted before it is said: a token that tries what it may not is what the log is for. */
async function refuseRole(
  { redis }: AdminDeps,
  { action, role: wanted }: AdminOperation,
  { actor, role }: Operator,
  { params }: Asked,
): Promise<HttpAnswer> {
  await noteRefused(redis, actor, action, Object.values(params)[0] ?? '', { role, wanted });
  return adminFailure('forbidden', `The role of this token is ${role}; this takes ${wanted}.`);
}

/** What an operation takes of a request, or what is wrong with it. */
function readCall(
  id: AdminOperationId,
  operation: AdminOperation,
  asked: Asked,
  { actor }: Operator,
): AdminCall | HttpAnswer {
  const query = readQuery(operation, asked.query);
  if ('status' in query) return query;
  const expected = readIfMatch(operation, asked.ifMatch);
  if ('status' in expected) return expected;
  const { idempotencyKey } = asked;
  if (operation.idempotent && idempotencyKey !== undefined && !IDEMPOTENCY_KEY_PATTERN.test(idempotencyKey)) {
    return adminFailure('invalid', 'Idempotency-Key must have 1 to 200 visible characters of ASCII, without blanks.');
  }
  const { params } = asked;
  const call = { actor, params, query: query.given, ...expected, idempotencyKey };
  if (operation.body === undefined || READ_BY_HANDLER.has(id)) return { ...call, body: asked.body };
  const body = operation.body.safeParse(asked.body);
  return body.success ? { ...call, body: body.data } : adminFailure('invalid', problemsOf(body.error));
}

function readQuery(
  { query: schema }: AdminOperation,
  query: URLSearchParams,
): { readonly given: Record<string, string> } | HttpAnswer {
  const names = [...query.keys()];
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) return adminFailure('invalid', `${show(twice)} was given more than once.`);
  const unknown = names.find((name) => schema === undefined || !(name in schema.shape));
  if (unknown !== undefined) return adminFailure('invalid', `${show(unknown)} is no parameter of this path.`);
  if (schema === undefined) return { given: {} };
  const read = schema.partial().safeParse(Object.fromEntries(query));
  return read.success ? { given: read.data } : adminFailure('invalid', problemsOf(read.error));
}

/** An ETag of ours is the version in quotes. */
function readIfMatch(
  { ifMatch: rule }: AdminOperation,
  given: string | undefined,
): { readonly expectedVersion?: number } | HttpAnswer {
  if (rule === undefined || given === '*') return {};
  if (given === undefined) {
    if (rule === 'optional') return {};
    return adminFailure(
      'no_precondition',
      'Send If-Match with the ETag that you have read, so that no change of others is lost; or If-Match: * for whatever is there.',
    );
  }
  const [, version] = /^"(\d{1,9})"$/.exec(given) ?? [];
  if (version === undefined)
    return adminFailure('invalid', 'If-Match must be one ETag as it was given, such as "3", or *.');
  return { expectedVersion: Number(version) };
}

function problemsOf({
  issues,
}: {
  readonly issues: readonly { path: readonly PropertyKey[]; message: string }[];
}): string {
  return issues
    .map(({ path, message }) => `${path.length === 0 ? 'body' : path.map(String).join('.')} ${message}`)
    .join('; ');
}

function show(name: string): string {
  return JSON.stringify(name.slice(0, 50));
}

function outcomeOf(status: number): AdminOutcome {
  if (status < 400) return 'success';
  if (status === 401) return 'unauthorized';
  if (status === 403) return 'forbidden';
  if (status === 429) return 'limited';
  return status < 500 ? 'client_error' : 'server_error';
}
