import { MASK_TYPES } from '@lontar/shared/settlement/settlement.ts';
import { z } from 'zod';

const tally = z.int().nonnegative();
const moment = z.iso.datetime();

const limit = z.object({
  limit: tally,
  used: tally,
  remaining: tally,
});
const windowLimit = limit.extend({
  reset: z.int().meta({ description: 'When more is left again, Unix seconds.', examples: [1_769_904_000] }),
});

const usage = z.object({
  requests: tally.meta({ description: 'Answered requests for generation, whatever the answer.' }),
  successes: tally,
  errors: tally,
  masked: tally.meta({ description: 'Answers in which anything was masked.' }),
  left: tally.meta({ description: 'Requests that you left, and that were charged.' }),
  prompt_tokens: tally,
  completion_tokens: tally,
  estimated_tokens: tally.meta({
    description: 'How many of these tokens are estimated, because the model did not say.',
  }),
});

/** `GET /api/key`: what the holder of a key may know of it. */
export const ownKeySchema = z.object({
  id: z.string().regex(/^[0-9A-Za-z]{10}$/),
  name: z.string(),
  created_at: moment,
  expires_at: moment.nullable().meta({ description: '`null` where it does not expire.' }),
  limits: z
    .object({
      requests_per_hour: windowLimit.nullable(),
      requests_per_day: windowLimit.nullable(),
      credits: limit.nullable(),
      concurrency: limit,
      upload_bytes: limit,
      address_requests_per_hour: windowLimit
        .nullable()
        .meta({ description: 'Of the address that you ask from; `null` where the key is exempt from it.' }),
    })
    .meta({ description: 'A limit that the key does not have is `null`.' }),
  models: z.array(z.string()).meta({ description: 'Those that the key may use.' }),
  max_output_tokens: tally.nullable(),
  masking: z.object({
    types: z.array(z.enum(MASK_TYPES)).meta({ description: 'What is masked in answers under `/v1`.' }),
    keep_own: z.boolean().meta({ description: 'Whether values that you sent are left as they are there.' }),
  }),
  on_disconnect: z.enum(['abort', 'finish']),
  old_key_until: moment.nullable().meta({ description: 'Until when the secret before this one is still good.' }),
  usage: z.object({
    timezone: z.literal('UTC'),
    today: usage,
    last_30_days: usage,
  }),
});

export type OwnKey = z.infer<typeof ownKeySchema>;
