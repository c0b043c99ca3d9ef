import { parseEnv } from 'node:util';
import { changes } from '@lontar/shared/near-name.ts';
import { everySetting } from './services.ts';

const MOST_DOUBTS = 10;
const MOST_CHANGES = 2;
/** Nearly any short name is near to another one. */
const LEAST_CHARACTERS = 6;

/** What a file of settings says, and what of it was probably meant otherwise. */
export interface EnvFile {
  readonly values: Readonly<Record<string, string>>;
  /** Sentences for the operator; nothing of a value is in them. */
  readonly doubts: readonly string[];
}

/**
 * Reads the text of a `.env` file. Names that no setting has may stand there, for containers or `models.yaml`; those that
 * are nearly a setting's are doubted, because what is set by them has no effect.
 */
export function readEnvText(text: string): EnvFile {
  // Windows' editors put a byte order mark first, which would be a part of the first name.
  const unmarked = text.replace(/^\uFEFF/, '');
  const values = parseEnv(unmarked) as Record<string, string>;
  const known = Object.keys(everySetting.shape);
  const doubts = [...colons(unmarked, known), ...misspelt(Object.keys(values), known), ...placeholders(values)];
  return { values, doubts: doubts.slice(0, MOST_DOUBTS) };
}

/** Lines such as `PORT: 8080`. */
function colons(text: string, known: readonly string[]): string[] {
  return text.split(/\r?\n/).flatMap((line, index) => {
    const name = /^\s*([A-Z][A-Z0-9_]{1,63})\s*:/.exec(line)?.[1];
    if (name === undefined || !known.includes(name)) return [];
    return [`Line ${index + 1} of .env has no effect: write ${name}=VALUE, with = instead of the colon.`];
  });
}

function misspelt(names: readonly string[], known: readonly string[]): string[] {
  return names.flatMap((name) => {
    const base = name.replace(/_FILE$/, '');
    if (known.includes(name) || known.includes(base) || OTHERS.has(base)) return [];
    const meant = known.find((setting) => isNear(base, setting));
    return meant === undefined ? [] : [`.env sets ${name}, which is no setting. Did you mean ${meant}?`];
  });
}

/** Keys that were pasted from the documents, and not replaced. */
function placeholders(values: Readonly<Record<string, string>>): string[] {
  const left = Object.keys(values).filter((name) => name.endsWith('_API_KEY') && PLACEHOLDER.test(values[name] ?? ''));
  return left.map((name) => `.env sets ${name} to a placeholder of the documents: put your own key there.`);
}

const PLACEHOLDER = /^(?:YOUR_.*|<.*>|\.{3}|…)$/;

/** Variables that `npm start` reads beside the settings. */
const OTHERS: ReadonlySet<string> = new Set(['ANTHROPIC_API_KEY', 'ANTHROPIC_BASE_URL', 'OLLAMA_HOST']);

function isNear(given: string, setting: string): boolean {
  const [one, other] = [given, setting].map((name) => name.toUpperCase().replaceAll('_', ''));
  if (one === undefined || other === undefined || one.length < LEAST_CHARACTERS) return one === other;
  return changes(one, other) <= MOST_CHANGES || lacksAWord(given, setting);
}

/** `OPENAI_KEY` for `OPENAI_API_KEY`: its first and its last word are right. */
function lacksAWord(given: string, setting: string): boolean {
  const [some, all] = [given.toUpperCase().split('_'), setting.split('_')];
  return some.length === all.length - 1 && some.length >= 2 && some[0] === all[0] && some.at(-1) === all.at(-1);
}
