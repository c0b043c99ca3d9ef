import { type DemoSecrets, demoSecrets } from './demo-secrets.ts';

export interface DemoQuestion {
  readonly seed: string;
  /** Persona. */
  readonly system: string;
  readonly prompt: string;
}

/**
 * What the demo model says: a short chat message or a structured page, by its persona; about the prompt, in English or
 * Indonesian; with a made-up secret of every family that is masked. The first word has at most four characters, so that
 * an answer of one token is not empty.
 */
export function demoAnswer({ seed, system, prompt }: DemoQuestion): string {
  const secrets = demoSecrets(`${seed}\n${prompt}`);
  const topic = topicOf(prompt);
  const isChat = /\bchat|messag|conversation|brief/i.test(system);
  const write = isIndonesian(prompt) ? indonesian : english;
  return isChat ? write.chat(topic, secrets) : write.page(topic, secrets);
}

/** What it says once a tool that it called has answered. */
export function demoToolAnswer(toolSaid: string, prompt: string): string {
  const quoted = quotationOf(toolSaid, TOOL_CHARS);
  return isIndonesian(prompt)
    ? `Dari tool datang jawaban ini: ${quoted}. Itu semua yang diketahui **model demo** tentang ${topicOf(prompt)}.`
    : `From the tool came this answer: ${quoted}. That is all that the **demo model** knows about ${topicOf(prompt)}.`;
}

interface Writer {
  chat(topic: string, secrets: DemoSecrets): string;
  page(topic: string, secrets: DemoSecrets): string;
}

const english: Writer = {
  chat: (topic, secrets) => `\
Hi! I am Lontar's built-in **demo model**, so this is canned text, not a real answer about ${topic}.

Here is what a real model might let slip. You see it masked:

- the order API: ${secrets.apiUrl}
- the server behind it: ${secrets.ipv4}

${environmentOf(secrets)}

For real answers the operator connects a model: the README has the lines for Gemini, OpenAI, Anthropic and local servers.`,
  page: (topic, secrets) => `\
This is Lontar's built-in **demo model**: canned text, not a real answer. You asked about ${topic}.

## Try the service

1. Read the answer below: every address and secret in it was made up, and is masked before you see it.
2. Ask again with other words: the same prompt always gives the same answer.
3. Put the lines of a real model into \`.env\` (the README has them) and start again.

${codeOf(secrets)}

## Where it runs

| part | address |
|---|---|
| public | ${secrets.apiUrl} |
| server | ${secrets.ipv4} |
| server, IPv6 | ${secrets.ipv6} |

> Never paste real credentials into a prompt; what a model has read, it may repeat.`,
};

const indonesian: Writer = {
  chat: (topic, secrets) => `\
Hai! Saya **model demo** bawaan Lontar, jadi ini teks contoh, bukan jawaban sungguhan tentang ${topic}.

Begini isi jawaban yang bisa bocor dari model sungguhan. Di sini sudah disamarkan:

- API pesanan: ${secrets.apiUrl}
- server di belakangnya: ${secrets.ipv4}

${environmentOf(secrets)}

Untuk jawaban sungguhan operator menyambungkan sebuah model: README memuat baris untuk Gemini, OpenAI, Anthropic, dan server lokal.`,
  page: (topic, secrets) => `\
Ini **model demo** bawaan Lontar: teks contoh, bukan jawaban sungguhan. Anda bertanya tentang ${topic}.

## Mencoba layanan

1. Baca jawaban di bawah: semua alamat dan rahasianya rekaan, dan disamarkan sebelum Anda melihatnya.
2. Tanyakan hal lain: prompt yang sama selalu memberi jawaban yang sama.
3. Tulis baris model sungguhan ke \`.env\` (ada di README), lalu mulai lagi.

${codeOf(secrets)}

## Tempat berjalannya

| bagian | alamat |
|---|---|
| publik | ${secrets.apiUrl} |
| server | ${secrets.ipv4} |
| server, IPv6 | ${secrets.ipv6} |

> Jangan tempelkan kredensial asli ke dalam prompt; yang pernah dibaca model bisa diulanginya.`,
};

function codeOf(secrets: DemoSecrets): string {
  return `\
\`\`\`bash
curl ${secrets.apiUrl} \\
  -H "Authorization: Bearer ${secrets.bearerToken}"
\`\`\`

${environmentOf(secrets)}`;
}

function environmentOf(secrets: DemoSecrets): string {
  return `\
\`\`\`ini
DATABASE_URL=${secrets.connection}
OPENAI_API_KEY=${secrets.apiKey}
AWS_ACCESS_KEY_ID=${secrets.cloudKey}
\`\`\``;
}

const TOPIC_CHARS = 80;
const TOOL_CHARS = 400;

function topicOf(prompt: string): string {
  return quotationOf(prompt, TOPIC_CHARS);
}

/**
 * The beginning of a text as a quotation. It is cut between words only, like every cut here: half of a secret that
 * a caller put into a prompt would not be known as one.
 */
function quotationOf(text: string, mostChars: number): string {
  const words: string[] = [];
  let length = 0;
  for (const word of text.trim().slice(0, 4_096).split(/\s+/)) {
    length += word.length + 1;
    if (length > mostChars) break;
    words.push(word);
  }
  const isWhole = words.join(' ').length === text.trim().length;
  // A backtick would turn the rest of the sentence into code.
  const quoted = words.join(' ').replaceAll('`', "'");
  return `"${[quoted, isWhole ? '' : '…'].filter(Boolean).join(' ')}"`;
}

const INDONESIAN =
  /\b(?:apa|apakah|bagaimana|gimana|kenapa|mengapa|siapa|berapa|buat|buatkan|tolong|saya|aku|kamu|anda|yang|dengan|untuk|dari|tidak|bisa|jelaskan|tentang|halo|hai|selamat|terima kasih)\b/i;

function isIndonesian(prompt: string): boolean {
  return INDONESIAN.test(prompt.slice(0, 4_096));
}
