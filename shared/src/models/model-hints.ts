/** What makes a real model answer: lines for the file `.env`. */
export interface ModelHint {
  readonly upstream: string;
  readonly lines: readonly string[];
}

/**
 * Shown by `npm start`, README and `.env.example`, to be pasted as they are but for the key and the names of a local
 * server's models. Each is tried against a server that refuses names and keys that it does not know
 * (model-hints.int.test.ts in worker/src/upstreams, and for Anthropic, for which `npm start` writes a file of models, in
 * cli/src/start). OpenAI's names are those of models that take a temperature.
 */
export const MODEL_HINTS: readonly ModelHint[] = [
  { upstream: 'Gemini', lines: ['GEMINI_API_KEY=YOUR_KEY'] },
  {
    upstream: 'OpenAI',
    lines: [
      'OPENAI_BASE_URL=https://api.openai.com/v1',
      'OPENAI_API_KEY=YOUR_KEY',
      `MODEL_MAP='{"ai-2.5-flash":"gpt-4.1-mini","ai-2.5-pro":"gpt-4.1"}'`,
    ],
  },
  { upstream: 'Anthropic', lines: ['ANTHROPIC_API_KEY=YOUR_KEY'] },
  {
    upstream: 'a local server (Ollama, vLLM, llama.cpp), with the names of its own models',
    lines: [
      'OPENAI_BASE_URL=http://127.0.0.1:11434/v1',
      `MODEL_MAP='{"ai-2.5-flash":"llama3.2","ai-2.5-pro":"llama3.2"}'`,
    ],
  },
];
