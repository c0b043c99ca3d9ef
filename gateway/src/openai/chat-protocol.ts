import { CHAT_ENDPOINT } from '@lontar/shared/endpoints.ts';
import type { Answered } from '@lontar/shared/settlement/settlement.ts';
import { NO_BEARER_MESSAGE, repeatedKeyMessage } from '../caller/identify.ts';
import type { RequestContext } from '../envelope/request-context.ts';
import { answeredHeaders, answerFailure, reportAnswered } from '../generation/answer-settlement.ts';
import type { ReadingLimits } from '../generation/generation-rules.ts';
import type { EventForm, GenerationProtocol, Reading, SettledRequest } from '../generation/protocol.ts';
import type { ResumeForm } from '../generation/resume.ts';
import { patienceOf } from './patience.ts';
import { readChat } from './read-chat.ts';
import { chatChunks } from './render-chunk.ts';
import { renderCompletion, requestIdOf } from './render-completion.ts';

/** `POST /v1/chat/completions`: the caller's own messages, answered as OpenAI does. */
export const CHAT_PROTOCOL: GenerationProtocol = {
  judgesKeyFirst: true,
  read: readRequest,
  answer: (settlement, about) =>
    settlement.outcome === 'answered' ? answerChat(settlement, about) : answerFailure(settlement, about),
};

function readRequest({ body, key: given, headers }: RequestContext, limits: ReadingLimits): Reading {
  if (given.kind === 'repeated') {
    return { kind: 'refused', error: 'invalid_parameter', message: repeatedKeyMessage(given.times) };
  }
  if (given.kind !== 'presented') return { kind: 'refused', error: 'invalid_api_key', message: NO_BEARER_MESSAGE };
  const { key } = given;
  const reading = readChat(body ?? {}, limits);
  if (!reading.ok) return { kind: 'refused', key, ...reading.problem };
  const { chat, model, maxOutputTokens, isDefaultOutput, stream, includeUsage } = reading.ask;
  const ask = {
    v: 2,
    endpoint: CHAT_ENDPOINT,
    chat,
    model,
    maxOutputTokens,
    ...(isDefaultOutput && { isDefaultOutput }),
  } as const;
  const events: EventForm | undefined = stream ? (of) => chatChunks(of, includeUsage) : undefined;
  return { kind: 'ask', ask, key, patienceMs: patienceOf(headers), events };
}

/** `GET /v1/chat/completions/{id}`: the answer of an earlier request, once more. */
export const CHAT_RESUME: ResumeForm = {
  endpoint: CHAT_ENDPOINT,
  requestIdOf,
  answer: CHAT_PROTOCOL.answer,
  events: (of, { from, includeUsage }) => chatChunks(of, includeUsage, from),
};

function answerChat(settlement: Answered, about: SettledRequest) {
  return {
    status: 200,
    headers: answeredHeaders(settlement, about),
    body: renderCompletion(settlement, { requestId: about.context.id, job: about.job }),
    report: reportAnswered(settlement, about),
  };
}
