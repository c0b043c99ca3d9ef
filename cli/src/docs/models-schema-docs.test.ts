import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { writeModels } from '../models/write-models.ts';
import { modelsSchemaText } from './models-schema-docs.ts';

test('docs/models.schema.json is what the schema of the file says (npm run docs makes it so)', () => {
  expect(readFileSync(new URL('../../../docs/models.schema.json', import.meta.url), 'utf8')).toBe(modelsSchemaText());
});

test('an editor learns from it which keys there are, and which are needed', () => {
  const schema = JSON.parse(modelsSchemaText()) as {
    required: string[];
    properties: { upstreams: { additionalProperties: { properties: object; required: string[] } } };
  };
  expect(schema.required).toEqual(['upstreams', 'models']);
  const upstream = schema.properties.upstreams.additionalProperties;
  expect(Object.keys(upstream.properties)).toContain('max_in_flight');
  // Those that have a default may be left out.
  expect(upstream.required).toEqual(['provider']);
});

test('a file that is written for the operator names it in its first line', () => {
  const [first] = writeModels([], 'docs/models.schema.json').split('\n');
  expect(first).toBe('# yaml-language-server: $schema=docs/models.schema.json');
});
