import type { Endpoint, PublicModel } from '@lontar/shared/endpoints.ts';
import { ERROR_CATALOG } from '@lontar/shared/errors.ts';
import type { Answered, Settlement } from '@lontar/shared/settlement/settlement.ts';
import type { Admission } from '../admission/admit.ts';
import { bindingLimit, rateLimitHeaders, refunded } from '../admission/rate-limit.ts';
import { type Answer, refuse } from '../http/answer.ts';
import { elapsedMs, type RequestContext } from '../http/request-context.ts';

/** Version of the answers' form, `metadata.api_version`. */
export const API_VERSION = '2.0.0';
/** Characters of an answer that the operator's log keeps. */
const ANSWER_PREVIEW_CHARS = 4_000;

export interface AnswerContext {
  readonly endpoint: Endpoint;
  readonly context: RequestContext;
  readonly keyId: string;
  readonly model: PublicModel;
  readonly admission: Admission;
}

/** Turns a request's settlement into its answer. */
export function answerSettlement(settlement: Settlement, about: AnswerContext): Answer {
  if (settlement.outcome === 'answered') return answered(settlement, about);
  const generation = reportGeneration(settlement, about);
  const { refunds } = ERROR_CATALOG[settlement.error];
  const limits = rateLimitHeaders(refunds ? refunded(about.admission) : about.admission);
  const headers = settlement.error === 'service_unavailable' ? { ...limits, 'Retry-After': '2' } : limits;
  return refuse(settlement.error, { headers, report: { keyId: about.keyId, generation } });
}

function answered(settlement: Answered, about: AnswerContext): Answer {
  const { context, admission, keyId } = about;
  const masked = Object.values(settlement.masked).reduce((sum, count) => sum + count, 0);
  return {
    status: 200,
    headers: { ...rateLimitHeaders(admission), 'X-Masked': String(masked) },
    body: {
      status: true,
      code: 200,
      message: 'Sukses',
      result: settlement.text,
      metadata: {
        api_version: API_VERSION,
        timestamp: new Date().toISOString(),
        request_id: context.id,
        response_time: elapsedMs(context),
        remaining_requests: bindingLimit(admission).remaining,
      },
    },
    report: { outcome: 'success', keyId, generation: reportGeneration(settlement, about) },
  };
}

function reportGeneration(settlement: Settlement, { endpoint, model }: AnswerContext) {
  const work = settlement.work;
  const answer =
    settlement.outcome === 'answered' && work?.promptPreview !== undefined
      ? { answerPreview: cut(settlement.text, ANSWER_PREVIEW_CHARS) }
      : {};
  const yielded = settlement.outcome === 'answered' ? { masked: settlement.masked, usage: settlement.usage } : {};
  return { endpoint, model, ...work, ...yielded, ...answer };
}

function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most).toWellFormed()}…`;
}
