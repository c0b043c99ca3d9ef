import { textOf } from '@lontar/shared/chat-request.ts';
import type { RepeatReason } from '@lontar/shared/metrics.ts';
import type { ModelRequest } from '../language-model.ts';
import { mayBeTooMuchOutput, statedContext } from '../refusal-kind.ts';
import { UpstreamRefusal } from '../upstream-refusal.ts';
import type { LimitNames, RequestForm } from './write-request.ts';

/**
 * How a request is asked otherwise than usual, because a server refused its usual form: without the token limit that the
 * caller did not ask for, with the limit under one of its names, without asking for token counts, or without what the model
 * thought before.
 */
export type Adaptation = Extract<
  RepeatReason,
  'no_limit' | 'older_name' | 'newer_name' | 'no_token_counts' | 'no_thoughts'
>;

/**
 * The adaptation that an error calls for; undefined where it is not about the form of the request.
 *
 * @param error what the call ended with
 * @param form in which it was asked
 */
export function adaptationFor(error: unknown, request: ModelRequest, form: RequestForm): Adaptation | undefined {
  if (!(error instanceof UpstreamRefusal)) return undefined;
  const { said } = error;
  const status = error.status > 299 ? error.status : (said.status ?? 0);
  if (status < 400) return undefined;
  const words = `${said.param ?? ''} ${said.message}`;
  if (form.isStream && form.asksUsage && /stream_options|include_usage/.test(words)) return 'no_token_counts';
  if (hasThoughts(request) && form.omitsThoughts !== true && refusesThoughts(words)) return 'no_thoughts';
  if (form.limit === 'both' && ABOUT_NAMES.test(said.message) && /max_completion_tokens|max_tokens/.test(words)) {
    return /\buse\W{0,3}max_completion_tokens/i.test(said.message) ? 'newer_name' : 'older_name';
  }
  const isOurs = request.isDefaultOutput === true && form.limit !== undefined;
  return isOurs && mayBeTooMuchOutput(status, said) ? 'no_limit' : undefined;
}

function hasThoughts({ chat }: ModelRequest): boolean {
  return chat.messages.some((message) => message.role === 'assistant' && message.reasoning !== undefined);
}

/**
 * "property 'reasoning_content' is unsupported" (Groq), "Unknown name "reasoning_content"" (Gemini), and not "reasoning_content must be
 * passed back" (DeepSeek), which wants more of it.
 */
function refusesThoughts(words: string): boolean {
  return words.includes('reasoning_content') && !/\bmissing\b|passed back/i.test(words);
}

/** "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported", "Extra inputs are not permitted". */
const ABOUT_NAMES =
  /\bboth\b|same time|simultaneously|mutually exclusive|only one of|unrecognized|unknown|unexpected|unsupported|not supported|not permitted/i;

/** The form in which a request is asked. */
export function adaptForm(usual: RequestForm, adaptations: ReadonlySet<Adaptation>): RequestForm {
  return {
    ...usual,
    limit: adaptations.has('no_limit') ? undefined : limitName(usual.limit, adaptations),
    asksUsage: usual.asksUsage && !adaptations.has('no_token_counts'),
    omitsThoughts: adaptations.has('no_thoughts'),
  };
}

function limitName(usual: LimitNames | undefined, adaptations: ReadonlySet<Adaptation>): LimitNames | undefined {
  if (adaptations.has('older_name')) return 'max_tokens';
  return adaptations.has('newer_name') ? 'max_completion_tokens' : usual;
}

export interface Adaptations {
  /** What is known to be needed for a request. */
  readonly known: (request: ModelRequest) => Set<Adaptation>;
  readonly learn: (request: ModelRequest, adaptation: Adaptation, error: unknown) => void;
}

/** Models of one server whose adaptations are remembered; the oldest is forgotten. */
const MOST_MODELS = 100;
/** Servers get another configuration: after so long the usual form is tried again, ms. */
const REMEMBERED_MS = 10 * 60_000;

interface Learned {
  at: number;
  readonly forms: Set<Adaptation>;
  /** The smallest limit of ours that was refused; requests of a smaller one, cut to a key's cap, keep theirs. */
  refusedTokens: number;
  /** The shortest prompt beside which it was; a shorter one may leave room for it. */
  refusedPromptChars: number;
}

/** What was learned of a server's models, for as long as the process and ten minutes allow. */
export function createAdaptations(now: () => number = () => performance.now()): Adaptations {
  const learned = new Map<string, Learned>();
  const fresh = (model: string) => {
    const entry = learned.get(model);
    if (entry !== undefined && now() - entry.at > REMEMBERED_MS) learned.delete(model);
    return learned.get(model);
  };
  return {
    known(request) {
      const entry = fresh(request.model);
      if (entry === undefined) return new Set();
      const forms = new Set(entry.forms);
      const fits =
        request.maxOutputTokens < entry.refusedTokens || promptChars(request, entry) < entry.refusedPromptChars;
      if (request.isDefaultOutput !== true || fits) forms.delete('no_limit');
      return forms;
    },
    learn(request, adaptation, error) {
      const entry = fresh(request.model) ?? {
        at: now(),
        forms: new Set(),
        refusedTokens: Number.POSITIVE_INFINITY,
        refusedPromptChars: Number.POSITIVE_INFINITY,
      };
      entry.forms.add(adaptation);
      if (adaptation === 'no_limit') {
        const context = error instanceof UpstreamRefusal ? statedContext(error.said) : undefined;
        // Within a context that is no larger than the limit, the limit has no effect, however short the prompt is.
        const always = context !== undefined && context <= request.maxOutputTokens;
        entry.refusedTokens = Math.min(entry.refusedTokens, always ? context : request.maxOutputTokens);
        entry.refusedPromptChars = Math.min(entry.refusedPromptChars, always ? 0 : textOf(request.chat).length);
      }
      if (!learned.has(request.model) && learned.size === MOST_MODELS) {
        const oldest = learned.keys().next().value;
        if (oldest !== undefined) learned.delete(oldest);
      }
      learned.set(request.model, entry);
    },
  };
}

/** The text is put together only where its length matters. */
function promptChars(request: ModelRequest, { refusedPromptChars }: Learned): number {
  return refusedPromptChars === 0 ? 0 : textOf(request.chat).length;
}
