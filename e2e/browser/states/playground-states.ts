import type { Page } from 'playwright-core';
import { LONG } from './live-words.ts';
import type { State } from './state.ts';

const chunk = (choice: object, more: object = {}) => `data: ${JSON.stringify({ choices: [choice], ...more })}\n\n`;
/** An answer with everything that Markdown has. */
const ANSWER = [
  chunk({
    index: 0,
    delta: {
      content: `# ${LONG.name}\n\n- one ***API_KEY***\n- [x] two\n\n1. ${LONG.word}\n\n> quoted **bold** \`${LONG.word}\`\n\n| a | ${LONG.name} |\n|---|---|\n| ${LONG.word} | 2 |\n\n\`\`\`js\nconst line = '${'x'.repeat(300)}';\n\`\`\`\n\n[link](https://example.com/${LONG.word}) ${LONG.rightToLeft}`,
    },
  }),
  chunk(
    { delta: {}, finish_reason: 'stop' },
    {
      usage: { prompt_tokens: 1_234_567, completion_tokens: 7_654_321 },
      lontar: { masked: { url: 0, key: 1, ip: 0, connection: 0 } },
    },
  ),
  'data: [DONE]\n\n',
].join('');

/** The playground asks `/v1`, whose answers are streams. */
export interface PlaygroundState extends State {
  readonly answers?: { readonly status: number; readonly body: string };
}

const askIt = async (page: Page) => {
  await page.locator('#key').fill('a-key-for-the-test');
  await page.locator('#prompt').fill(`${LONG.word} ${LONG.name}`);
  await page.keyboard.press('Control+Enter');
};
const NO_CREDITS = JSON.stringify({ error: { message: 'No credits are left.', code: 'credits_exhausted', type: 'x' } });

export const PLAYGROUND_STATES: readonly PlaygroundState[] = [
  { name: 'playground-empty', path: '/#/playground', shows: 'main textarea' },
  {
    name: 'playground-answer',
    path: '/#/playground',
    answers: { status: 200, body: ANSWER },
    reach: askIt,
    shows: '.markdown h1',
  },
  {
    name: 'playground-refused',
    path: '/#/playground',
    answers: { status: 402, body: NO_CREDITS },
    reach: askIt,
    shows: '.problem',
  },
];
