import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { expect, test } from '@jest/globals';
import { MODEL_HINTS } from '@lontar/shared/models/model-hints.ts';
import { startStrictUpstream } from '@lontar/shared/testing/strict-upstream.ts';
import { probeRoutes } from '../doctor/probe-routes.ts';
import { homeAt } from '../home/home.ts';
import { firstModels } from './first-models.ts';

test('the line for Anthropic works as it is pasted, at a later start too', async () => {
  const { lines = [] } = MODEL_HINTS.find(({ upstream }) => upstream === 'Anthropic') ?? {};
  const pasted = parseEnv(lines.join('\n')) as Record<string, string>;
  const key = pasted['ANTHROPIC_API_KEY'] ?? '';
  const upstream = await startStrictUpstream({ models: ['claude-sonnet-5', 'claude-haiku-5'], key });
  const folder = mkdtempSync(join(tmpdir(), 'lontar-hints-'));
  try {
    for (const isFirst of [true, false]) {
      rmSync(join(folder, 'models.yaml'), { force: true });
      const environment = { ...pasted, ANTHROPIC_BASE_URL: upstream.anthropicUrl };
      const given = { root: folder, folder, environment, fromFile: new Set<string>(), home: homeAt('.lontar', folder) };
      const surroundings = await firstModels(given, { isFirst, say: () => undefined });
      expect(await probeRoutes(surroundings)).toMatchObject([
        { check: 'route claude/claude-haiku-5', status: 'ok' },
        { check: 'route claude/claude-sonnet-5', status: 'ok' },
      ]);
    }
  } finally {
    await upstream.stop();
    rmSync(folder, { recursive: true });
  }
});
