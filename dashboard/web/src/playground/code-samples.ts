import type { Body } from './call.ts';

/** Languages in which the page says a call. */
export const LANGUAGES = ['curl', 'python', 'javascript'] as const;
export type Language = (typeof LANGUAGES)[number];

export const LANGUAGE_NAMES: Readonly<Record<Language, string>> = {
  curl: 'curl',
  python: 'Python',
  javascript: 'JavaScript',
};

/** A call, without its key. */
export interface Call {
  /** Where the gateway is reached, without a path. */
  readonly origin: string;
  readonly endpoint: string;
  readonly isChat: boolean;
  readonly body: Body;
}

/**
 * The same call as code that runs as it stands. In the key's place is the variable `LONTAR_KEY`, so that no key comes
 * into a file or a history. Characters that cannot be seen are written as escapes: code that is read is what runs, and
 * copying it, which leaves them out, changes nothing.
 */
export function sampleOf(language: Language, call: Call): string {
  return SAMPLES[language](call);
}

const SAMPLES: Readonly<Record<Language, (call: Call) => string>> = {
  curl: (call) =>
    [
      `curl ${call.isChat ? '-N ' : ''}${inShell(call.origin + call.endpoint)} \\`,
      '  -H "Authorization: Bearer $LONTAR_KEY" \\',
      "  -H 'Content-Type: application/json' \\",
      `  -d ${inShell(asJson(call.body))}`,
    ].join('\n'),
  python: (call) => (call.isChat ? chatInPython(call) : promptInPython(call)),
  javascript: (call) => (call.isChat ? chatInJavaScript(call) : promptInJavaScript(call)),
};

function chatInPython({ origin, body }: Call): string {
  return `# pip install openai
import os
from openai import APIStatusError, OpenAI

client = OpenAI(base_url=${pythonText(`${origin}/v1`)}, api_key=os.environ["LONTAR_KEY"])
try:
    for chunk in client.chat.completions.create(
${Object.entries(body)
  .map(([name, value]) => `        ${name}=${inPython(value, 8)},`)
  .join('\n')}
    ):
        for choice in chunk.choices:
            print(choice.delta.content or "", end="", flush=True)
except APIStatusError as error:
    print(error.status_code, error.message)`;
}

function promptInPython({ origin, endpoint, body }: Call): string {
  return `import json
import os
import urllib.error
import urllib.request

request = urllib.request.Request(
    ${pythonText(origin + endpoint)},
    data=json.dumps(${inPython(body, 4)}).encode(),
    headers={
        "Authorization": "Bearer " + os.environ["LONTAR_KEY"],
        "Content-Type": "application/json",
    },
)
try:
    answer = json.load(urllib.request.urlopen(request))
except urllib.error.HTTPError as refused:
    answer = json.load(refused)
print(answer.get("result") or answer["message"])`;
}

function chatInJavaScript({ origin, body }: Call): string {
  return `// npm install openai
import OpenAI from 'openai';

const client = new OpenAI({ baseURL: ${asJson(`${origin}/v1`)}, apiKey: process.env.LONTAR_KEY });
const stream = await client.chat.completions.create(${asJson(body)});
for await (const chunk of stream) {
  process.stdout.write(chunk.choices[0]?.delta?.content ?? '');
}`;
}

function promptInJavaScript({ origin, endpoint, body }: Call): string {
  return `const response = await fetch(${asJson(origin + endpoint)}, {
  method: 'POST',
  headers: {
    Authorization: \`Bearer \${process.env.LONTAR_KEY}\`,
    'Content-Type': 'application/json',
  },
  body: JSON.stringify(${indented(asJson(body), 2)}),
});
const answer = await response.json();
console.log(answer.result ?? answer.message);`;
}

/** A word of a POSIX shell. */
function inShell(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** JSON is JavaScript, too. */
function asJson(value: unknown): string {
  return escapeUnseen(JSON.stringify(value, undefined, 2));
}

/** A value of JSON as Python writes it, its further lines further in. */
function inPython(value: unknown, indent: number): string {
  if (value === null || value === undefined) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value === 'string') return pythonText(value);
  if (typeof value !== 'object') return JSON.stringify(value);
  const isList = Array.isArray(value);
  const inner = ' '.repeat(indent + 4);
  const parts = isList
    ? value.map((part: unknown) => `${inner}${inPython(part, indent + 4)},`)
    : Object.entries(value).map(([name, part]) => `${inner}${pythonText(name)}: ${inPython(part, indent + 4)},`);
  const [open, close] = isList ? '[]' : '{}';
  if (parts.length === 0) return `${open}${close}`;
  return `${open}\n${parts.join('\n')}\n${' '.repeat(indent)}${close}`;
}

/** JSON's escapes are Python's, but for what lies beyond 16 bits. */
function pythonText(text: string): string {
  return escapeUnseen(JSON.stringify(text), (code) => `\\U${code.toString(16).padStart(8, '0')}`);
}

/** What nobody sees, and what a copy leaves out: see `cleanText`. Line ends stay; in JSON's texts they are escapes. */
const UNSEEN = /[^\P{Cc}\n]|[\p{Default_Ignorable_Code_Point}\u2028\u2029\uFFF9-\uFFFB]/gu;

function escapeUnseen(json: string, beyond?: (code: number) => string): string {
  return json.replaceAll(UNSEEN, (character) => {
    const code = character.codePointAt(0) ?? 0;
    if (code > 0xff_ff && beyond !== undefined) return beyond(code);
    return Array.from({ length: character.length }, (_, index) => character.charCodeAt(index))
      .map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`)
      .join('');
  });
}

function indented(text: string, by: number): string {
  return text.replaceAll('\n', `\n${' '.repeat(by)}`);
}
