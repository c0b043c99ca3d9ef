import { type Finding, failed, ok, warning } from './finding.ts';

const TIMEOUT_MS = 5_000;
const PARTS = ['redis', 'queue', 'gateways', 'workers', 'model', 'stats'];
/** Parts that others of the doctor's checks say more about. */
const SAID_ELSEWHERE: ReadonlySet<string> = new Set(['model']);

/** Where a gateway is to be asked. */
export interface AskedGateway {
  readonly url: string;
  /** `npm start` left its address; else it is what this shell's settings say. */
  readonly isKnown: boolean;
}

/**
 * Asks a gateway for its health, as a caller can. One whose address is a guess may well be elsewhere, for example in
 * another container. Never rejects.
 */
export async function checkHealth({ url, isKnown }: AskedGateway): Promise<Finding> {
  try {
    const response = await fetch(new URL('/api/health', url), {
      signal: AbortSignal.timeout(TIMEOUT_MS),
      redirect: 'error',
    });
    const body = (await response.json()) as Record<string, unknown>;
    return judge(url, response.status, body);
  } catch (error) {
    const why = error instanceof Error ? ((error.cause as Error | undefined)?.message ?? error.message) : String(error);
    if (isKnown) return failed('health', `The gateway at ${url} does not answer: ${why}. Look at its log.`);
    return warning('health', `No gateway was asked: none answers at ${url} (HOST and PORT of this shell): ${why}.`);
  }
}

function judge(url: string, httpStatus: number, body: Record<string, unknown>): Finding {
  const { status } = body;
  if (typeof status !== 'string') {
    return failed('health', `${url} does not answer as a healthy gateway of Lontar: HTTP ${httpStatus}.`);
  }
  const reasons = PARTS.flatMap((part) => {
    const { status: state, reason } = (body[part] ?? {}) as { status?: unknown; reason?: unknown };
    return state === 'ok' || state === undefined || SAID_ELSEWHERE.has(part) ? [] : [`${part}: ${String(reason)}`];
  });
  if (status === 'down')
    return failed('health', `The gateway at ${url} says that the service is down: ${reasons.join('; ')}`);
  if (reasons.length > 0) return warning('health', `The gateway at ${url} says: ${reasons.join('; ')}`);
  return ok('health', `The gateway at ${url} answers.`);
}
