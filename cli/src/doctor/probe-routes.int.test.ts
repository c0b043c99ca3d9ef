import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type FakeUpstream, startFakeUpstream } from '@lontar/shared/testing/fake-upstream.ts';
import type { Surroundings } from '../settings/environment.ts';
import { probeRoutes } from './probe-routes.ts';

let well: FakeUpstream;
let locked: FakeUpstream;
let folder: string;

beforeAll(async () => {
  [well, locked] = await Promise.all([startFakeUpstream(), startFakeUpstream()]);
  well.behave({ kind: 'answer', text: 'Hello.' });
  locked.behave({ kind: 'status', status: 401 });
  folder = mkdtempSync(join(tmpdir(), 'lontar-probe-'));
});
afterAll(async () => {
  await Promise.all([well.stop(), locked.stop()]);
  rmSync(folder, { recursive: true });
});

test('each route is asked once, whatever models have it, and it is said what came of it', async () => {
  const path = join(folder, 'models.yaml');
  const both = 'routes: [{ upstream: well, model: small }, { upstream: locked, model: large }]';
  writeFileSync(
    path,
    `upstreams:
  well: { provider: openai, base_url: ${well.openAiUrl} }
  locked: { provider: openai, base_url: ${locked.openAiUrl} }
models:
  ai-2.5-flash: { ${both} }
  ai-2.5-pro: { ${both} }
`,
  );
  const findings = await probeRoutes({ environment: { MODELS_FILE: path } } as unknown as Surroundings);
  expect(findings.map(({ check, status }) => [check, status])).toEqual([
    ['route well/small', 'ok'],
    ['route locked/large', 'failed'],
  ]);
  expect(findings[1]?.detail).toContain('unauthorized');
  expect([well.calls.length, locked.calls.length]).toEqual([1, 1]);
});
