import { CHAT_ENDPOINT } from '@lontar/shared/endpoints.ts';
import { ERROR_CATALOG } from '@lontar/shared/errors.ts';
import { successBody } from '@lontar/shared/http/envelope.ts';
import { wasCharged } from '@lontar/shared/settlement/charge.ts';
import type { Answered, Failed, Settlement } from '@lontar/shared/settlement/settlement.ts';
import { beginningAsJson, textAsJson } from '@lontar/shared/settlement/text-literal.ts';
import { bindingLimit, rateLimitHeaders, refunded } from '../admission/rate-limit.ts';
import { type Answer, type Report, refuse } from '../envelope/answer.ts';
import { elapsedMs } from '../envelope/request-context.ts';
import { finishReason, renderUsage } from './answer-end.ts';
import { defaultOutputTokens } from './generation-rules.ts';
import type { SettledRequest } from './protocol.ts';

/** Version of the answers' form, `metadata.api_version`. */
export const API_VERSION = '2.0.0';
/** Reasoning models seldom need less than this before they begin to write, tokens. */
const LEAST_WITH_REASONING = 1_024;
/** What a worker calls the field that says how long an answer may be. */
const OUTPUT_LIMIT = 'max_completion_tokens';
/** Characters of a result that the operator's log keeps. */
export const ANSWER_PREVIEW_CHARS = 4_000;

/** Turns a request's settlement into its answer in the envelope. */
export function answerSettlement(settlement: Settlement, about: SettledRequest): Answer {
  return settlement.outcome === 'answered' ? answered(settlement, about) : answerFailure(settlement, about);
}

/** The answer of a request that failed after it was admitted: with its charge, and the limits as they stand then. */
export function answerFailure(settlement: Failed, about: SettledRequest): Answer {
  const { admission, job } = about;
  const limits = rateLimitHeaders(wasCharged(settlement) ? admission : refunded(admission));
  const retryAfter = String(settlement.retryAfterSeconds ?? 2);
  const headers = settlement.error === 'service_unavailable' ? { ...limits, 'Retry-After': retryAfter } : limits;
  const report = {
    keyId: job.keyId,
    generation: reportGeneration(settlement, about),
    // Events outlive deploys: a stats-service of the version before would not count a code that it does not know.
    ...(settlement.error === 'output_used_up' && { error: 'invalid_parameter' as const }),
  };
  const param = settlement.error === 'output_used_up' ? outputField(about) : refusedField(settlement, about);
  return refuse(settlement.error, { message: explain(settlement, about), param, headers, report });
}

/** Which field an upstream has refused, as the caller's protocol calls it; those of OpenAI's are the worker's own words. */
function refusedField({ param }: Failed, about: SettledRequest): string | undefined {
  if (param === OUTPUT_LIMIT) return outputField(about);
  return about.job.endpoint === CHAT_ENDPOINT ? param : undefined;
}

/** What the field is called that says how long the answer may be. */
function outputField({ job }: Pick<SettledRequest, 'job'>): string {
  return job.endpoint === CHAT_ENDPOINT ? 'max_completion_tokens' : 'maxOutputTokens';
}

/** The error's message, and whether the request was charged and why. */
function explain(settlement: Failed, about: SettledRequest): string {
  const { message } = ERROR_CATALOG[settlement.error];
  if (settlement.error === 'output_used_up') return `${outputUsedUp(about)} The request was charged.`;
  if (!wasCharged(settlement)) return `${message} The request was not charged.`;
  return settlement.error === 'content_blocked'
    ? `${message} The request was charged.`
    : `${message} ${chargedFailure(about.freeFailuresPerHour)}`;
}

function chargedFailure(freePerHour: number): string {
  const why =
    freePerHour === 0
      ? 'the model had been asked'
      : `this API key has been given back ${freePerHour} such failures in the last hour`;
  return `The request was charged: ${why}.`;
}

/** Names the parameter, its value, and what to ask for instead, within what the key and the service allow. */
function outputUsedUp(about: SettledRequest): string {
  const { job, admission, reading } = about;
  const used = `${outputField(about)} is ${job.maxOutputTokens}, and the model used all of it before any text: its reasoning counts too.`;
  const most = Math.min(reading.maxOutputTokens, admission.maxOutputTokens ?? reading.maxOutputTokens);
  const byDefault = Math.min(defaultOutputTokens(reading), most);
  const least = Math.min(most, Math.max(2 * job.maxOutputTokens, LEAST_WITH_REASONING));
  if (job.maxOutputTokens >= most)
    return `${used} That is the most that may be asked for here: shorten the prompt, or take another model.`;
  const leaveOut = byDefault > job.maxOutputTokens ? `, or leave it out, which asks for ${byDefault}` : '';
  return `${used} Ask for more, at least ${least}${leaveOut}.`;
}

function answered(settlement: Answered, about: SettledRequest): Answer {
  const { context, admission } = about;
  return {
    status: 200,
    headers: answeredHeaders(settlement, about),
    body: {
      ...successBody(200, textAsJson(settlement)),
      metadata: {
        api_version: API_VERSION,
        timestamp: new Date().toISOString(),
        request_id: context.id,
        response_time: elapsedMs(context),
        remaining_requests: bindingLimit(admission).remaining,
        finish_reason: finishReason(settlement),
        usage: renderUsage(settlement.usage),
      },
    },
    report: reportAnswered(settlement, about),
  };
}

/** The headers of an answer that a model gave. */
export function answeredHeaders(
  settlement: Answered,
  { admission, job }: Pick<SettledRequest, 'admission' | 'job'>,
): Record<string, string> {
  const count = Object.values(settlement.masked).reduce((sum, values) => sum + values, 0);
  return {
    ...rateLimitHeaders(admission),
    'X-Masked': String(count),
    'X-Model': job.model,
    'X-Finish-Reason': finishReason(settlement),
  };
}

/** What the statistics get of it. */
export function reportAnswered(settlement: Answered, about: SettledRequest): Report {
  return { outcome: 'success', keyId: about.job.keyId, generation: reportGeneration(settlement, about) };
}

function reportGeneration(settlement: Settlement, { job }: SettledRequest) {
  const { endpoint, model } = job;
  const { work, route } = settlement;
  const answer =
    settlement.outcome === 'answered' && work?.promptPreview !== undefined
      ? { answerPreview: work.answerPreview ?? beginningAsJson(settlement, ANSWER_PREVIEW_CHARS) }
      : {};
  const yielded =
    settlement.outcome === 'answered' ? { masked: settlement.masked, finishReason: finishReason(settlement) } : {};
  const usage = settlement.usage && { usage: settlement.usage };
  const cause = settlement.outcome === 'failed' && settlement.cause ? { cause: settlement.cause } : {};
  return { endpoint, model, ...charge(settlement), ...work, route, ...yielded, ...usage, ...answer, ...cause };
}

/**
 * Nothing where Redis could not take the note that the caller has left: the process that settles the request decides.
 */
function charge(settlement: Settlement): { readonly charged?: boolean } {
  const isOpen = settlement.outcome === 'failed' && settlement.error === 'client_closed';
  if (isOpen && settlement.charged === undefined) return {};
  return { charged: wasCharged(settlement) };
}
