import { expect, test } from '@jest/globals';
import { namesOfVariables } from '@lontar/shared/models/catalog-of-variables.ts';
import { createReference } from './reference-routes.ts';

const reference = createReference({
  reading: {
    models: { current: namesOfVariables() },
    maxPromptChars: 100,
    maxContextChars: 100,
    maxOutputTokens: 1000,
  },
  maxFileBytes: 10,
  uploadsPerDay: 20,
  perHour: 100,
  downloadsPerHour: 1_000,
  utilityEndpoints: 'open',
  hasAdminApi: true,
});

test('the large pages are held once, however many ask for them and read nothing', () => {
  for (const path of ['/docs', '/openapi.json'] as const) {
    const [one, other] = ['https://one.example', 'https://other.example'].map(
      (origin) => reference(path, origin).pieces,
    );
    const own = one?.filter((piece, index) => piece !== other?.[index]).reduce((sum, { length }) => sum + length, 0);
    expect(own).toBeLessThan(100);
  }
});

test('the document names the origin that the caller came by, once and in its place', () => {
  const { pieces } = reference('/openapi.json', 'https://lontar.example');
  const document = JSON.parse(Buffer.concat(pieces).toString()) as { servers: { url: string }[] };
  expect(document.servers[0]?.url).toBe('https://lontar.example');
});
