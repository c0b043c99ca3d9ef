import { CHAT_ENDPOINT, GENERATION_ENDPOINTS, PUBLIC_MODELS } from '@lontar/shared/endpoints.ts';
import { batch, computed, signal } from '@preact/signals';
import { askModel } from './ask-model.ts';
import { bodyOf, type Message, readTools, type Settings, saidByModel, type ToolCall } from './call.ts';
import type { Call } from './code-samples.ts';
import { type Answer, NO_ANSWER } from './grow-answer.ts';

/** Most turns of a conversation on the page. */
export const MOST_TURNS = 200;
const MOST_MODELS = 500;

/** What was said: by the reader, by the tools that the model called, or by the model. */
export type Turn =
  | { readonly by: 'reader'; readonly text: string }
  | { readonly by: 'tools'; readonly results: readonly ToolResult[] }
  | { readonly by: 'model'; readonly answer: Answer };

export interface ToolResult {
  readonly call: ToolCall;
  readonly text: string;
}

/** What was typed stays while the page is open, and nowhere else. */
export const settings = signal<Settings>({
  key: '',
  endpoint: CHAT_ENDPOINT,
  model: PUBLIC_MODELS[0],
  system: '',
  temperature: 0.7,
  tools: '',
});
export const draft = signal('');
/** What was said, and the answer that grows, apart: what is made of the conversation need not be made anew with each word. */
const said = signal<readonly Turn[]>([]);
const growing = signal<Answer | undefined>(undefined);
export const turns = computed((): readonly Turn[] =>
  growing.value === undefined ? said.value : [...said.value, { by: 'model', answer: growing.value }],
);
/** The names of the models that the key may use, where the service was asked. */
export const models = signal<readonly string[]>(PUBLIC_MODELS);

let running: AbortController | undefined;

/** The newest answer, where it is the last that was said. */
export const lastAnswer = computed(() => {
  const last = turns.value.at(-1);
  return last?.by === 'model' ? last.answer : undefined;
});
export const isAnswering = computed(() => {
  const { state } = lastAnswer.value ?? {};
  return state === 'waiting' || state === 'growing';
});
/** The calls of the newest answer, which wait for what the tools say. */
export const openCalls = computed(() => (isAnswering.value ? [] : (lastAnswer.value?.calls ?? [])));

/** What "Send" would send now, and where nothing is typed what was sent last; as code it says the same call. */
export const call = computed((): Call => {
  const { endpoint } = settings.value;
  const isTyped = draft.value.trim() !== '';
  const asked = said.value.at(-1)?.by === 'model' && !isTyped ? said.value.slice(0, -1) : said.value;
  const typed: Message[] =
    isTyped || asked.length === 0 ? [{ role: 'user', content: draft.value.trim() || 'Hello' }] : [];
  return {
    origin: location.origin,
    endpoint,
    isChat: endpoint === CHAT_ENDPOINT,
    body: bodyOf(settings.value, [...messagesOf(asked), ...typed]),
  };
});

export function change(part: Partial<Settings>): void {
  settings.value = { ...settings.value, ...part };
}

/** What the address asks for: a model, an endpoint. */
export function takeQuery(query: URLSearchParams): void {
  const model = query.get('model');
  const endpoint = GENERATION_ENDPOINTS.find((known) => known === query.get('endpoint'));
  if (model !== null && model !== '') change({ model: model.slice(0, 128) });
  if (endpoint !== undefined) change({ endpoint });
}

/** Whether nothing that was typed keeps a request from being sent. */
export function mayAsk(): boolean {
  return settings.value.key !== '' && readTools(settings.value.tools) !== undefined && turns.value.length < MOST_TURNS;
}

/** Sends what was typed. */
export async function send(): Promise<void> {
  const text = draft.value.trim();
  if (text === '' || isAnswering.value || !mayAsk()) return;
  draft.value = '';
  said.value = [...said.value, { by: 'reader', text }];
  await answer();
}

/** Hands back what the tools said. */
export async function sendResults(results: readonly ToolResult[]): Promise<void> {
  if (isAnswering.value || !mayAsk()) return;
  said.value = [...said.value, { by: 'tools', results }];
  await answer();
}

/** Asks for another answer in the place of the newest. */
export async function regenerate(): Promise<void> {
  if (isAnswering.value || lastAnswer.value === undefined || settings.value.key === '') return;
  said.value = said.value.slice(0, -1);
  await answer();
}

/** Ends the answer that grows; what has come of it stays. */
export function stop(): void {
  running?.abort();
}

/** Begins a conversation anew. */
export function startAnew(): void {
  stop();
  running = undefined;
  batch(() => {
    said.value = [];
    growing.value = undefined;
  });
}

async function answer(): Promise<void> {
  const asked = said.value;
  const mine = new AbortController();
  running = mine;
  // A stream may bring hundreds of pieces a second; a screen shows sixty.
  let newest: Answer | undefined;
  const show = () => {
    if (newest !== undefined && running === mine) growing.value = newest;
    newest = undefined;
  };
  const grow = (grown: Answer) => {
    if (newest === undefined) requestAnimationFrame(show);
    newest = grown;
  };
  growing.value = NO_ANSWER;
  const whole = await askModel(settings.value, bodyOf(settings.value, messagesOf(asked)), mine.signal, grow);
  newest = undefined;
  if (running !== mine) return;
  batch(() => {
    said.value = [...asked, { by: 'model', answer: whole }];
    growing.value = undefined;
  });
}

/** The conversation as the service takes it. Calls whose tools have not answered are left out: upstreams refuse them. */
export function messagesOf(all: readonly Turn[]): Message[] {
  return all.flatMap((turn, index): Message[] => {
    if (turn.by === 'reader') return [{ role: 'user', content: turn.text }];
    if (turn.by === 'tools') {
      return turn.results.map(({ call: { id }, text }) => ({ role: 'tool', tool_call_id: id, content: text }));
    }
    const calls = all[index + 1]?.by === 'tools' ? turn.answer.calls : [];
    return turn.answer.text === '' && calls.length === 0 ? [] : [saidByModel(turn.answer.text, calls)];
  });
}

/** Asks which models the key may use; where that fails, those that are known stay. */
export async function readModels(): Promise<void> {
  const { key } = settings.value;
  if (key === '') return;
  try {
    const response = await fetch('/v1/models', { headers: { authorization: `Bearer ${key}` }, credentials: 'omit' });
    const { data } = (await response.json()) as { data?: readonly { readonly id?: unknown }[] };
    const names = (data ?? []).flatMap(({ id }) => (typeof id === 'string' ? [id] : []));
    if (response.ok && key === settings.value.key) models.value = names.slice(0, MOST_MODELS);
  } catch {
    // The names are a help; what is wrong is said when something is sent.
  }
}
