import { expect, test } from '@jest/globals';
import { adviseOn } from './upstream-advice.ts';

const settings = { url: 'OPENAI_BASE_URL', key: 'OPENAI_API_KEY', useModel: () => '' };
const listed = () => Promise.resolve({ kind: 'unknown' } as const);

test.each([
  ['ECONNREFUSED', 'start that server, or correct OPENAI_BASE_URL'],
  ['ENOTFOUND', 'finds no address for llm.example.com: check the name in OPENAI_BASE_URL'],
  ['EAI_AGAIN', 'has a network and DNS'],
  ['ERR_SSL_WRONG_VERSION_NUMBER', 'begin OPENAI_BASE_URL with http://'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'NODE_EXTRA_CA_CERTS'],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'NODE_EXTRA_CA_CERTS'],
])('a connection that fails with %s leads to what can be done', async (upstreamCode, words) => {
  const failure = {
    kind: 'connection',
    upstream: { upstreamHost: 'llm.example.com', upstreamCode },
    isUnknownModel: false,
  } as const;
  expect(await adviseOn(failure, { model: 'm' }, { settings, listed })).toContain(words);
});
