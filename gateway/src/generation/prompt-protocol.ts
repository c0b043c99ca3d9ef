import type { Endpoint } from '@lontar/shared/endpoints.ts';
import { REQUEST_ID_PATTERN } from '@lontar/shared/request-id.ts';
import { answerSettlement } from './answer-settlement.ts';
import { wantsEvents } from './event-accept.ts';
import { gatherFields } from './given-fields.ts';
import { ignoredParameters } from './ignored-parameters.ts';
import { missingMessage } from './near-misses.ts';
import { promptEvents } from './prompt-events.ts';
import type { EventForm, GenerationProtocol, Reading } from './protocol.ts';
import { type GenerationReading, readGeneration } from './read-generation.ts';
import type { ResumeForm } from './resume.ts';

/** The form of the three endpoints with a persona: one prompt by GET or POST, answered in the envelope. */
export function promptProtocol(endpoint: Endpoint): GenerationProtocol {
  return {
    judgesKeyFirst: false,
    read: (context, limits) => {
      const { query, body, key, headers } = context;
      const events: EventForm | undefined = wantsEvents(headers.accept) ? (of) => promptEvents(of) : undefined;
      context.ignoredParameters = ignoredParameters(context);
      const reading = readGeneration(gatherFields(query, body), key, limits);
      if (reading.kind !== 'missing') return readingOf(endpoint, reading, events);
      return { kind: 'refused', error: 'missing_parameters', message: missingMessage(context, reading.missing) };
    },
    answer: answerSettlement,
  };
}

function readingOf(
  endpoint: Endpoint,
  reading: Exclude<GenerationReading, { kind: 'missing' }>,
  events: EventForm | undefined,
): Reading {
  switch (reading.kind) {
    case 'invalid':
      return { kind: 'refused', error: 'invalid_parameter', message: reading.message, key: reading.key };
    case 'ask': {
      const { isDefaultOutput, ...asked } = reading.ask;
      const ask = { v: 1, endpoint, ...asked, ...(isDefaultOutput && { isDefaultOutput }) } as const;
      return { kind: 'ask', ask, key: reading.key, events };
    }
  }
}

/** `GET /api/requests/{id}`: the answer of an earlier request, whichever endpoint it was asked of. */
export const PROMPT_RESUME: ResumeForm = {
  endpoint: '/api/ai',
  requestIdOf: (name) => (REQUEST_ID_PATTERN.test(name) ? name : undefined),
  answer: answerSettlement,
  events: (of, { from }) => promptEvents(of, from),
};
