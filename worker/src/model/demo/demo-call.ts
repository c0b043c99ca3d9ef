import type { ChatRequest, ChatTool, ToolCall } from '@lontar/shared/chat-request.ts';
import { ModelError } from '../language-model.ts';
import { demoValue } from './demo-value.ts';
import { randomSource } from './random-source.ts';

/** A schema that is larger is not looked into. */
const MOST_SCHEMA_WORDS = 200;

/**
 * The tool that the demo model wants called, with arguments that fit its schema: the one that was named, the one that
 * fits the question best where one is required, or one that fits at all. None where the question's last word is a tool's.
 *
 * @throws ModelError `request_refused` where the named tool is not among the tools
 */
export function demoCall(chat: ChatRequest, prompt: string, seed: string): ToolCall | undefined {
  const tool = chooseTool(chat, prompt);
  if (tool === undefined) return undefined;
  const key = `${seed}\n${tool.name}\n${prompt}\n${chat.messages.length}`;
  const random = randomSource(`call:${key}`);
  const id = Array.from({ length: 24 }, () => ID_ALPHABET[random(ID_ALPHABET.length)]).join('');
  const value = demoValue(tool.parameters ?? { type: 'object' }, key, wordsOf(prompt));
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return { id: `call_${id}`, name: tool.name, arguments: JSON.stringify(isObject ? value : {}) };
}

const ID_ALPHABET = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';

/** The words of a text, in its order, at most a hundred. */
export function wordsOf(text: string): string[] {
  return (text.slice(0, 4_096).match(/[\p{L}\p{N}]+/gu) ?? []).slice(0, 100);
}

function chooseTool({ tools = [], toolChoice = 'auto', messages }: ChatRequest, prompt: string): ChatTool | undefined {
  if (typeof toolChoice === 'object') {
    const named = tools.find(({ name }) => name === toolChoice.name);
    if (named === undefined) throw new ModelError('request_refused', { field: 'tool_choice' });
    return named;
  }
  if (toolChoice === 'none' || tools.length === 0) return undefined;
  const asked = new Set(wordsOf(prompt).map(stemOf).filter(Boolean));
  const rated = tools.map((tool) => ({ tool, fit: fitOf(tool, asked) }));
  const best = rated.reduce((one, other) => (other.fit > one.fit ? other : one));
  if (toolChoice === 'required') return best.tool;
  // What the tool said is to be told now.
  return messages.at(-1)?.role === 'tool' || best.fit === 0 ? undefined : best.tool;
}

/** How many words a tool shares with the question; those of its name count for more. */
function fitOf({ name, description = '' }: ChatTool, asked: ReadonlySet<string>): number {
  const shared = (text: string) =>
    new Set(
      wordsOf(text.replace(/([a-z])([A-Z])/g, '$1 $2'))
        .slice(0, MOST_SCHEMA_WORDS)
        .map(stemOf)
        .filter((word) => asked.has(word)),
    ).size;
  return 3 * shared(name.replaceAll('_', ' ')) + shared(description);
}

const COMMON_WORDS: ReadonlySet<string> = new Set(
  'what when where which with from that this have does your about into than then will would could should please tell give make call list find show need want user the and for get set run are you can how'.split(
    ' ',
  ),
);

/** A word without what its plural has, in small letters; empty for one that says nothing. */
function stemOf(word: string): string {
  const small = word.toLowerCase().replace(/s$/, '');
  return small.length < 3 || COMMON_WORDS.has(small) ? '' : small;
}
