import { ERROR_CATALOG } from '@lontar/shared/errors.ts';
import { GENERATION_RULES, listModelNames } from '../generation/generation-rules.ts';
import { operations, type PublicLimits } from './openapi.ts';

/** Statuses that no answer has: the caller is gone. */
const UNSEEN = new Set<number>([499]);

/** `/llms.txt`: what a language model needs to write a client of this service. */
export function llmsText(origin: string, limits: PublicLimits): string {
  const { temperature } = GENERATION_RULES;
  const endpoints = operations(limits)
    .filter(({ method, tag }) => method !== 'head' && tag !== 'Admin')
    .map(({ method, path, summary }) => `- ${method.toUpperCase()} ${origin}${path}: ${summary}`);
  const errors = new Map(
    Object.values(ERROR_CATALOG)
      .filter(({ status }) => !UNSEEN.has(status))
      .map(({ status, label }) => [`${status} ${label}`, undefined]),
  );
  return `# Lontar

> A text-generation service. One GET with a prompt gives JSON with the answer. Addresses, keys and connection strings in answers are masked.

Send the API key in the header X-API-Key (or Authorization: Bearer, or the parameter apikey).

## Generate

GET ${origin}/api/ai?prompt=... or POST with a JSON body of the same fields.

- prompt: required, at most ${limits.reading.maxPromptChars} characters
- model: ${listModelNames(limits.reading.models, ' or ')}; ${GENERATION_RULES.defaultModel} unless given
- temperature: ${temperature.least} to ${temperature.most}; ${temperature.byDefault} unless given
- maxOutputTokens: 1 to ${limits.reading.maxOutputTokens}

Success: {"status":true,"code":200,"message":"Sukses","result":"<markdown>","metadata":{"request_id":"req_...","response_time":812,"remaining_requests":97,"finish_reason":"stop","usage":{"total_tokens":60,...},...}} (finish_reason length: the answer is cut by maxOutputTokens)
Error: {"status":false,"code":<HTTP status>,"message":"<what is wrong and what to do>","error":"<label>"}; a 429 has used, remaining and limit besides. Wait for Retry-After (seconds) on 429 and 503.

## Endpoints

${endpoints.join('\n')}

## Errors

${[...errors.keys()].map((error) => `- ${error}`).join('\n')}

## More

- [OpenAPI document](${origin}/openapi.json)
- [Reference](${origin}/docs)
- [Quick start](${origin}/docs/quick-start)
- [What is left of a key, as a page](${origin}/me)
`;
}
