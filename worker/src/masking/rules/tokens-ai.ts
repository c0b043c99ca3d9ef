import type { Rule } from './rule.ts';
import { tokens } from './token-shape.ts';

/** Model providers and the tools around them. */
export const AI_TOKENS: readonly Rule[] = [
  ...tokens(
    'https://platform.openai.com/docs/api-reference/authentication',
    {
      'openai-project-key': 'sk-proj-{url:40}',
      'openai-service-key': 'sk-svcacct-{url:40}',
      'openai-admin-key': 'sk-admin-{url:40}',
      'openai-none-key': 'sk-None-{url:40}',
      'openai-session': 'sess-{an40}',
      'openai-key': 'sk-{url:20}',
    },
    ['openai-key', 'openai-session'],
  ),
  ...tokens('https://docs.anthropic.com/en/api/getting-started', { 'anthropic-key': 'sk-ant-{url:40}' }),
  ...tokens('https://huggingface.co/docs/hub/security-tokens', {
    'huggingface-token': 'hf_{an34}',
    'huggingface-organisation-token': 'api_org_{an34}',
  }),
  ...tokens('https://console.groq.com/docs/quickstart', { 'groq-key': 'gsk_{an52}' }),
  ...tokens('https://docs.x.ai/docs/overview', { 'xai-key': 'xai-{an80}' }),
  ...tokens('https://docs.perplexity.ai/guides/api-key-management', { 'perplexity-key': 'pplx-{an48}' }),
  ...tokens('https://openrouter.ai/docs/api-reference/authentication', { 'openrouter-key': 'sk-or-{url:64}' }),
  ...tokens('https://replicate.com/docs/topics/security/api-tokens', { 'replicate-token': 'r8_{an37}' }),
  ...tokens('https://docs.tavily.com/', { 'tavily-key': 'tvly-{url:32}' }),
  ...tokens('https://docs.fireworks.ai/', { 'fireworks-key': 'fw_{an24}' }, true),
  ...tokens('https://inference-docs.cerebras.ai/', { 'cerebras-key': 'csk-{lo:48}' }),
  ...tokens('https://docs.nvidia.com/nim/', { 'nvidia-key': 'nvapi-{url:64}' }),
  ...tokens('https://docs.langchain.com/langsmith/create-account-api-key', {
    'langsmith-key': 'lsv2_{w:40}',
    'langsmith-legacy-key': 'ls__{hex:32}',
  }),
  ...tokens('https://langfuse.com/docs/api', {
    'langfuse-secret-key': 'sk-lf-{hex:8}-{hex:4}-{hex:4}-{hex:4}-{hex:12}',
  }),
  ...tokens('https://docs.pinecone.io/guides/get-started/quickstart', { 'pinecone-key': 'pcsk_{w:60}' }),
  ...tokens('https://docs.voyageai.com/docs/api-key-and-installation', { 'voyage-key': 'pa-{url:43}' }, true),
  ...tokens('https://elevenlabs.io/docs/api-reference/authentication', { 'elevenlabs-key': 'sk_{hex:48}' }, true),
  ...tokens('https://docs.firecrawl.dev/', { 'firecrawl-key': 'fc-{hex:32}' }, true),
  ...tokens('https://docs.wandb.ai/', { 'wandb-key': 'wandb_v1_{w:60}' }),
  ...tokens('https://docs.together.ai/', { 'together-key': 'tgp_v1_{url:43}' }),
  ...tokens('https://docs.dify.ai/', { 'dify-key': 'app-{an24}' }, true),
  ...tokens('https://docs.e2b.dev/', { 'e2b-key': 'e2b_{hex:40}' }),
  ...tokens('https://docs.anyscale.com/', { 'anyscale-key': 'esecret_{an26}' }),
  ...tokens('https://jina.ai/api-dashboard', { 'jina-key': 'jina_{an60}' }),
  ...tokens('https://docs.helicone.ai/', { 'helicone-key': 'sk-helicone-{lo:40}' }),
];
