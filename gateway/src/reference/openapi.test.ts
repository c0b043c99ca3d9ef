import { describe, expect, test } from '@jest/globals';
import { ADMIN_OPERATIONS } from '@lontar/shared/admin/admin-operations.ts';
import { ENDPOINTS } from '@lontar/shared/endpoints.ts';
import { ERROR_CATALOG } from '@lontar/shared/errors.ts';
import { ROUTE_LABELS } from '@lontar/shared/metrics.ts';
import { namesOfVariables } from '@lontar/shared/models/catalog-of-variables.ts';
import { generationFieldsSchema } from '../generation/generation-rules.ts';
import { readGeneration } from '../generation/read-generation.ts';
import { ROUTES } from '../server/routes.ts';
import { STREAMED_ROUTES } from '../server/upload-routes.ts';
import { STATS_API_PATHS } from '../statistics/paths.ts';
import { openApiDocument, operations } from './openapi.ts';
import { REFERENCE_PATHS } from './reference-routes.ts';

const reading = {
  models: { current: namesOfVariables() },
  maxPromptChars: 100,
  maxContextChars: 100,
  maxOutputTokens: 1000,
};
const limits = {
  reading,
  maxFileBytes: 10,
  uploadsPerDay: 20,
  perHour: 100,
  downloadsPerHour: 1_000,
  utilityEndpoints: 'open',
  hasAdminApi: true,
} as const;
const document = openApiDocument(limits, '1.2.3', 'https://x.example');

describe('the API document', () => {
  test('has every route of the gateway, and no other', () => {
    const served = [
      ...ROUTES.map(({ path }) => path.replace(':id', '{id}')),
      ...STATS_API_PATHS,
      ...STREAMED_ROUTES.map(([path]) => path),
      '/files/{id}',
      ...REFERENCE_PATHS.filter((path) => !/\.(?:css|js)$/.test(path)),
      ...Object.values(ADMIN_OPERATIONS).map(({ path }) => path.replace(/:(\w+)/, '{$1}')),
    ];
    expect(Object.keys(document.paths).sort()).toEqual([...new Set(served)].sort());
  });

  test('has the routes that metrics and the log tell apart', () => {
    const paths = Object.keys(document.paths).filter((path) => /^\/(?:api|v1)\//.test(path));
    const labels = new Set(paths.map((path) => path.replace('/{id}', '')));
    expect(ROUTE_LABELS.filter((label) => label !== 'other').sort()).toEqual([...labels].sort());
  });

  test('has every method that the routes of the table take', () => {
    for (const { path, methods } of ROUTES) {
      expect(Object.keys(document.paths[path.replace(':id', '{id}')] ?? {}).sort()).toEqual(
        methods.map((name) => name.toLowerCase()).sort(),
      );
    }
  });

  test('has the admin API only where that is', () => {
    const without = openApiDocument({ ...limits, hasAdminApi: false }, '1.2.3', 'https://x.example');
    expect(JSON.stringify(without)).not.toMatch(/admin/i);
    const paths = Object.keys(document.paths).filter((path) => path.startsWith('/admin/'));
    expect(paths).not.toEqual([]);
    for (const path of paths) {
      for (const operation of Object.values(document.paths[path] ?? {})) {
        expect(operation).toMatchObject({ tags: ['Admin'], security: [{ adminToken: [] }, { operatorSession: [] }] });
      }
    }
  });

  test('has each operation id once, and an example for each body', () => {
    const all = operations(limits);
    expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
    for (const { body } of all) if (body) expect(body.example).toBeDefined();
  });

  test('has every status and label of the error catalog somewhere, those no caller can see aside', () => {
    const text = JSON.stringify(document);
    for (const [code, { status, label }] of Object.entries(ERROR_CATALOG)) {
      if (['client_closed', 'method_not_allowed'].includes(code)) continue;
      expect(Object.values(document.paths).some((path) => JSON.stringify(path).includes(`"${status}":`))).toBe(true);
      expect(text).toContain(JSON.stringify(label));
    }
  });

  test('gives an example of each JSON answer, and it fits its schema', () => {
    for (const { responses } of operations(limits)) {
      for (const { example, schemas = [] } of Object.values(responses)) {
        if (schemas.length === 0) continue;
        expect(example).toBeDefined();
        expect(schemas.some((schema) => schema.safeParse(example).success)).toBe(true);
      }
    }
  });
});

describe('the rules of the parameters', () => {
  const schema = generationFieldsSchema(reading);
  const key = `lt_live_${'a'.repeat(48)}`;
  const read = (fields: Record<string, unknown>) =>
    readGeneration(
      new Map(Object.entries(fields).map(([name, value]) => [name, [value]])),
      { kind: 'presented', key: { text: key } },
      reading,
    );

  test.each([
    { prompt: 'x' },
    { prompt: 'x'.repeat(100) },
    { prompt: '🌴'.repeat(100) },
    { prompt: 'x'.repeat(101) },
    { prompt: ' ' },
    { prompt: '' },
    { prompt: 5 },
    {},
    { prompt: 'x', temperature: 0.1 },
    { prompt: 'x', temperature: 2 },
    { prompt: 'x', temperature: 0.09 },
    { prompt: 'x', temperature: 2.01 },
    { prompt: 'x', temperature: 'warm' },
    { prompt: 'x', maxOutputTokens: 1 },
    { prompt: 'x', maxOutputTokens: 1000 },
    { prompt: 'x', maxOutputTokens: 0 },
    { prompt: 'x', maxOutputTokens: 1001 },
    { prompt: 'x', maxOutputTokens: 1.5 },
    { prompt: 'x', model: 'ai-2.5-flash' },
    { prompt: 'x', model: 'ai-2.5-pro' },
    { prompt: 'x', model: 'gpt' },
    { prompt: 'x', model: '' },
  ])('%j: the reader and the document agree', (fields) => {
    const astral = 'prompt' in fields && typeof fields.prompt === 'string' && fields.prompt.includes('🌴');
    // JSON Schema counts characters, as the reader does; zod's own check counts UTF-16 units.
    if (!astral) expect(schema.safeParse(fields).success).toBe(read(fields).kind === 'ask');
    else expect(read(fields).kind).toBe('ask');
  });

  test('the defaults are the same', () => {
    const reading = read({ prompt: 'x' });
    expect(reading).toMatchObject({ ask: schema.parse({ prompt: 'x' }) });
    expect(ENDPOINTS).toHaveLength(3);
  });
});
