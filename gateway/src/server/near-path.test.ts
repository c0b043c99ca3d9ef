import { expect, test } from '@jest/globals';
import { refuseUnknownPath } from './near-path.ts';

test.each([
  ['/chat/completions', /base URL of clients has to end in \/v1/],
  ['/models', /has to end in \/v1/],
  ['/api/v1/chat/completions', /has to end in \/v1/],
  ['/api/chat/completions', /has to end in \/v1/],
  ['/v1/v1/chat/completions', /has \/v1 twice/],
  ['/v1/chat/completions/chat/completions', /ends in \/v1: clients add/],
  ['/v1/embeddings', /and nothing else/],
  ['/v1', /and nothing else/],
  ['//api/ai', /^The path is \/api\/ai, written/],
  ['/api/ai/', /^The path is \/api\/ai, written/],
  ['/API/AI2', /^The path is \/api\/ai2, written/],
  ['/v1/models/', /^The path is \/v1\/models, written/],
  ['/ai2', /begins with \/api/],
  ['/api/ai4', /Text is generated at/],
  ['/modelsandmore', /Text is generated at/],
  ['/', /Text is generated at/],
])('%s', (path, words) => {
  const { status, problem } = refuseUnknownPath(path);
  expect(status).toBe(404);
  expect(problem?.message).toMatch(words);
});
