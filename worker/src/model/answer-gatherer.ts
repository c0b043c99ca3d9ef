import { randomBytes } from 'node:crypto';
import { type ChatRequest, type ToolCall, textOf } from '@lontar/shared/chat-request.ts';
import type { Literal } from '@lontar/shared/settlement/known-literal.ts';
import type { TokenUsage } from '@lontar/shared/settlement/settlement.ts';
import { isHighSurrogate } from '@lontar/shared/surrogates.ts';
import { AnswerTooLargeError } from './capped-fetch.ts';
import { ModelError, type ModelPart, type ModelResult } from './language-model.ts';
import { estimateTokens } from './token-estimate.ts';

/** One call asks for a handful; the protocol's own limit of tools is 128. */
const MOST_CALLS = 256;
/** Looks at arguments, to see whether they are whole, and how long they may be: each look reads all of them. */
const MOST_LOOKS = 256;
const LONGEST_LOOKED_AT = 65_536;

type FinishReason = ModelResult['finishReason'];

interface HalfCall {
  id: unknown;
  name: string;
  arguments: string;
}

/**
 * Puts an answer together from its parts, in one piece or in thousands, and gives them on as they come: text and reasoning
 * in well-formed Unicode, tool calls whole.
 */
export class AnswerGatherer {
  readonly #chat: ChatRequest;
  readonly #mostLength: number;
  readonly #onPart: ((part: ModelPart) => void) | undefined;
  #text = '';
  #reasoning = '';
  #refusal = '';
  /** The first half of a pair that was cut between two pieces, of the text and of the reasoning. */
  #halfOfText = '';
  #halfOfReasoning = '';
  #argumentsLength = 0;
  #pieces = 0;
  #looks = 0;
  readonly #calls = new Map<number, HalfCall>();
  #literal: Literal | undefined;
  #usage: TokenUsage | undefined;
  #finish: FinishReason | undefined;

  /**
   * @param mostLength of text, reasoning and arguments together, UTF-16 units
   */
  constructor(chat: ChatRequest, mostLength: number, onPart?: (part: ModelPart) => void) {
    this.#chat = chat;
    this.#mostLength = mostLength;
    this.#onPart = onPart;
  }

  /** Whether anything of an answer has come. */
  get hasContent(): boolean {
    return this.#pieces > 0 || this.#calls.size > 0;
  }

  /** Grows with each part of an answer. */
  get size(): number {
    return this.#pieces + this.#calls.size + this.#argumentsLength;
  }

  get isFinished(): boolean {
    return this.#finish !== undefined;
  }

  /** @throws AnswerTooLargeError */
  addText(piece: string): void {
    const whole = this.#halfOfText + piece;
    const { ready, half } = untilHalf(whole);
    this.#halfOfText = half;
    this.#text += ready;
    this.#added('text', ready);
  }

  /** @throws AnswerTooLargeError */
  addReasoning(piece: string): void {
    const { ready, half } = untilHalf(this.#halfOfReasoning + piece);
    this.#halfOfReasoning = half;
    this.#reasoning += ready;
    this.#added('reasoning', ready);
  }

  /**
   * What the model says in place of an answer that it refuses: given as a whole.
   *
   * @throws AnswerTooLargeError
   */
  addRefusal(piece: string): void {
    this.#refusal += piece;
    this.#pieces += 1;
    this.#checkLength();
  }

  /**
   * A piece of a tool call, or all of it.
   *
   * @param index the place among the calls; those of servers that leave it out are told apart by their ids, or by their
   *   arguments where there are no ids either
   * @throws AnswerTooLargeError; ModelError `invalid_answer` where there are too many
   */
  addCallPiece(
    index: number | 'behind another' | undefined,
    piece: { id?: unknown; name?: unknown; arguments?: unknown },
  ): void {
    const text = argumentsOf(piece.arguments);
    const place = this.#placeOf(index, piece, text);
    let call = this.#calls.get(place);
    if (call === undefined) {
      if (this.#calls.size === MOST_CALLS) throw new ModelError('invalid_answer');
      call = { id: undefined, name: '', arguments: '' };
      this.#calls.set(place, call);
    }
    call.id ??= piece.id;
    // Some servers say the name again with each piece.
    const name = typeof piece.name === 'string' && piece.name !== call.name ? piece.name : '';
    call.name += name;
    call.arguments += text;
    this.#argumentsLength += text.length + name.length;
    this.#checkLength();
  }

  /** What may be the whole text, with the JSON in which it came. */
  noteLiteral(literal: Literal): void {
    this.#literal = literal;
  }

  setUsage(usage: TokenUsage): void {
    this.#usage = usage;
  }

  setFinish(reason: FinishReason): void {
    this.#finish = reason;
  }

  /**
   * Gives the last parts on, and the whole.
   *
   * @throws ModelError `content_blocked` or `empty_answer` where there is nothing, unless all tokens were used up before
   *   it, or the caller's own stop sequence came first
   */
  finish(): ModelResult {
    if (this.#halfOfText !== '') this.#endHalf('text');
    if (this.#halfOfReasoning !== '') this.#endHalf('reasoning');
    // Behind an answer that has begun it is the end of that.
    if (this.#refusal !== '' && this.#text !== '') this.addText(this.#takeRefusal());
    const reason = this.#finish ?? 'other';
    const toolCalls = this.#wholeCalls(reason);
    const refusal = this.#refusal.toWellFormed();
    if (`${this.#text}${refusal}`.trim() === '' && toolCalls.length === 0) this.#checkEmpty(reason);
    for (const call of toolCalls) this.#onPart?.({ kind: 'call', call });
    return {
      text: this.#text,
      ...(this.#literal && { literal: this.#literal }),
      ...(refusal !== '' && { refusal }),
      ...(this.#reasoning !== '' && { reasoning: this.#reasoning }),
      ...(toolCalls.length > 0 && { toolCalls }),
      usage: this.#usage ?? this.#estimate(),
      finishReason: this.#finishReason(toolCalls.length, reason),
    };
  }

  #takeRefusal(): string {
    const refusal = this.#refusal.toWellFormed();
    this.#refusal = '';
    return refusal;
  }

  /** Servers say `stop` of calls that were forced, and `tool_calls` of none. */
  #finishReason(wholeCalls: number, reason: FinishReason): FinishReason {
    if (wholeCalls > 0 && (wholeCalls === this.#calls.size || reason !== 'length')) return 'tool_calls';
    return reason === 'tool_calls' ? 'stop' : reason;
  }

  #checkEmpty(reason: FinishReason): void {
    if (reason === 'length') return;
    if (reason === 'stop' && (this.#chat.stop?.length ?? 0) > 0) return;
    throw new ModelError(reason === 'content_filter' ? 'content_blocked' : 'empty_answer');
  }

  #added(kind: 'text' | 'reasoning', ready: string): void {
    if (ready === '') return;
    this.#pieces += 1;
    this.#checkLength();
    this.#onPart?.({ kind, text: ready });
  }

  #checkLength(): void {
    const length = this.#text.length + this.#reasoning.length + this.#refusal.length + this.#argumentsLength;
    if (length > this.#mostLength) {
      throw new AnswerTooLargeError();
    }
  }

  #endHalf(kind: 'text' | 'reasoning'): void {
    const end = '\ufffd';
    if (kind === 'text') this.#text += end;
    else this.#reasoning += end;
    this.#added(kind, end);
  }

  #placeOf(
    index: number | 'behind another' | undefined,
    { id, name }: { id?: unknown; name?: unknown },
    text: string,
  ): number {
    const hasId = typeof id === 'string' && id !== '';
    const isNamed = typeof name === 'string' && name !== '';
    if (typeof index !== 'number') {
      const last = this.#calls.get(this.#calls.size - 1);
      if (last === undefined) return this.#calls.size;
      const isNew = hasId
        ? [...this.#calls.values()].every((call) => call.id !== id)
        : isNamed && (index === 'behind another' || this.#isNext(last, text));
      return isNew ? this.#calls.size : this.#calls.size - 1;
    }
    const there = this.#calls.get(index);
    if (there === undefined || !isNamed) return index;
    // Some servers write index 0 on each call; another id with a name is another call.
    const isAnother =
      hasId && typeof there.id === 'string' && there.id !== '' ? there.id !== id : this.#isNext(there, text);
    return isAnother ? Math.max(...this.#calls.keys()) + 1 : index;
  }

  /** Whether arguments without an id begin another call: Gemini's and MLX's calls have neither index nor id. */
  #isNext({ arguments: args }: HalfCall, text: string): boolean {
    if (!args.endsWith('}') || !text.startsWith('{') || args.length > LONGEST_LOOKED_AT) return false;
    if (this.#looks === MOST_LOOKS) return false;
    this.#looks += 1;
    return isJson(args);
  }

  /** A call that was cut by the token limit never became whole, and is left out. */
  #wholeCalls(reason: FinishReason): ToolCall[] {
    const taken = new Set<string>();
    const calls: ToolCall[] = [];
    for (const [, half] of [...this.#calls].sort(([one], [other]) => one - other)) {
      const args = half.arguments.trim() === '' ? '{}' : half.arguments.toWellFormed();
      if (half.name === '' || (reason === 'length' && !isJson(args))) continue;
      const id = idOf(half.id, taken);
      taken.add(id);
      calls.push({ id, name: half.name.toWellFormed(), arguments: args });
    }
    return calls;
  }

  /** Most servers send one token with each piece; those that gather some are known by the length of pieces. */
  #estimate(): TokenUsage {
    const calls = [...this.#calls.values()].map((call) => call.name + call.arguments).join(' ');
    const texts = [this.#text, this.#reasoning, this.#refusal, calls];
    const byLength = texts.reduce((sum, text) => sum + estimateTokens(text), 0);
    const isTokenwise = this.#pieces > byLength / 2;
    return {
      input: estimateTokens(textOf(this.#chat)),
      output: isTokenwise && calls === '' ? this.#pieces : byLength,
      isEstimated: true,
    };
  }
}

/** Cuts off the first half of a pair whose second half may be in the next piece. */
function untilHalf(text: string): { ready: string; half: string } {
  const last = text.charCodeAt(text.length - 1);
  if (!isHighSurrogate(last)) return { ready: text.toWellFormed(), half: '' };
  return { ready: text.slice(0, -1).toWellFormed(), half: text.slice(-1) };
}

/** Some servers write an object where the protocol has JSON as text. */
function argumentsOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return value === undefined || value === null ? '' : JSON.stringify(value);
}

/** The server's own id, by which it knows the call again; a new one where there is none that fits. */
function idOf(id: unknown, taken: ReadonlySet<string>): string {
  if (typeof id === 'string' && /^[\w.:-]{1,128}$/.test(id) && !taken.has(id)) return id;
  return `call_${randomBytes(12).toString('hex')}`;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
