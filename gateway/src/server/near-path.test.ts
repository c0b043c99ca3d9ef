import { expect, test } from '@jest/globals';
import { refuseUnknownPath } from './near-path.ts';

test.each([
  ['/chat/completions', /base URL of clients has to end in \/v1/],
  ['/models', /has to end in \/v1/],
  ['/api/v1/chat/completions', /has to end in \/v1/],
  ['/api/chat/completions', /has to end in \/v1/],
  ['/v1/v1/chat/completions', /has \/v1 twice/],
  ['/v1/chat/completions/chat/completions', /ends in \/v1: clients add/],
  ['/v1/embeddings', /not served.*only \/v1\/chat/],
  ['/v1', /not served.*only \/v1\/chat/],
  ['//api/ai', /^Use the path \/api\/ai, exactly/],
  ['/api/ai/', /^Use the path \/api\/ai, exactly/],
  ['/API/AI2', /^Use the path \/api\/ai2, exactly/],
  ['/v1/models/', /^Use the path \/v1\/models, exactly/],
  ['/ai2', /begins with \/api/],
  ['/api/ai4', /Text is generated at/],
  ['/modelsandmore', /Text is generated at/],
  ['/', /Text is generated at/],
])('%s', (path, words) => {
  const { status, problem } = refuseUnknownPath(path);
  expect(status).toBe(404);
  expect(problem?.message).toMatch(words);
});
