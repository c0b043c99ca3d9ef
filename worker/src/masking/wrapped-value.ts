import { CODE, isIn, QUOTE } from './characters.ts';
import { type GivenValue, readValue } from './given-value.ts';
import type { TextWindow } from './text-window.ts';

/** What stands around a literal and gives it back: constructors of strings and secrets, holders of state, defaults of schemas. */
const WRAPPER =
  /^(?:new )?(?:(?:(?:string|cow|box|pathbuf)::from|(?:[\w.:$]{0,40}[.:])?(?:secret(?:str|string|value)?|password|sensitive(?:string)?|nonsensitive|string|str|some|ok|just|arc|rc|cow|box|of|valueof|ofnullable|ref|shallowref|signal|createsignal|usestate|useref|writable|observable|behaviorsubject|mutablestateflow|mutablestateof|qstring|qstringliteral|qlatin1string|bytes|bytearray|b|strdup|_t|text|value|literal|plaintext|unsafeplaintext|create|new|default|field|column|env|envvar|protectedstring))|\[\](?:byte|rune))\((?:(?:default|default_value|value|initial|initial_value)\s{0,2}=\s{0,2})?$/i;
/** A schema that ends in its default: `z.string().min(8).default(`. */
const DEFAULT_OF_SCHEMA = /^[\w.$]{1,24}\([^()\n]{0,24}\)(?:\.\w{1,16}\([^()\n]{0,24}\)){0,4}\.default\($/;
const LONGEST = 80;

/** The literal in a wrapper that is given to a name: `SecretStr("…")`, `[]byte("…")`, `z.string().default("…")`. */
export function insideWrapper(window: TextWindow, { start, end, quoted, call }: GivenValue): GivenValue | undefined {
  if (quoted || !call || end - start > LONGEST || !isIn(window.at(end), QUOTE)) return undefined;
  const last = window.code(end - 1);
  if (last !== CODE.openParenthesis && last !== CODE.equals) return undefined;
  const wrapper = window.slice(start, end);
  return WRAPPER.test(wrapper) || DEFAULT_OF_SCHEMA.test(wrapper) ? readValue(window, end, false) : undefined;
}
