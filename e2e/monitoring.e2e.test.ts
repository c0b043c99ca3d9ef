import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { type Alertmanager, hasAlertmanager, startAlertmanager } from './harness/alertmanager.ts';
import { ask } from './harness/client.ts';
import { madeUpSecrets } from './harness/made-up-secrets.ts';
import { hasPrometheus, type Prometheus, RUNBOOKS_URL, startPrometheus } from './harness/prometheus.ts';
import { type Stack, startStack } from './harness/stack.ts';

/** The dashboards and rules as an operator has them, from their files. */
const panels = globSync('*.json', { cwd: new URL('../dashboard/grafana/dashboards/', import.meta.url) }).flatMap(
  (file) => {
    const board = JSON.parse(
      readFileSync(new URL(`../dashboard/grafana/dashboards/${file}`, import.meta.url), 'utf8'),
    ) as { title: string; panels: { title: string; targets?: { expr: string }[] }[] };
    return board.panels.flatMap(({ title, targets = [] }) =>
      targets.map(({ expr }) => ({ name: `${board.title} / ${title}`, expr: withWindows(expr) })),
    );
  },
);
const { groups } = parse(
  readFileSync(new URL('../dashboard/prometheus/rules/recording.yml', import.meta.url), 'utf8'),
) as { groups: { rules: { record: string }[] }[] };
const records = groups.flatMap(({ rules }) => rules.map(({ record }) => ({ name: record, expr: record })));

/** In the design 30 s, of which a lease and two looks take most; a busy machine gets three times that. */
const GONE_WITHIN_MS = 90_000;

(hasPrometheus ? describe : describe.skip)('with a real Prometheus', () => {
  let stack: Stack;
  let prometheus: Prometheus;
  let alertmanager: Alertmanager | undefined;
  let statsAddress: string;
  /** Resolves when a worker that was killed is no target any more. */
  let isGone: Promise<void>;

  /** As Prometheus asks. */
  const listTargets = () =>
    fetch(`http://${statsAddress}/prometheus/targets`, {
      headers: { authorization: `Bearer ${stack.secrets.innerSecret}` },
    });

  const workersUp = async (count: number) => {
    const up = await prometheus.targetsUp('worker');
    return up.length === count ? [] : [`up: ${up.join(', ')}`];
  };

  beforeAll(async () => {
    stack = await startStack({
      stats: true,
      workers: 2,
      // Bad keys are part of the traffic, and all callers share one address here.
      settings: { BAN_AFTER_BAD_KEYS: '0', MODEL_TIMEOUT_MS: '5000' },
    });
    const { port } = (await stack.stats?.logged('stats-service serves')) ?? {};
    statsAddress = `127.0.0.1:${String(port)}`;
    alertmanager = hasAlertmanager ? await startAlertmanager() : undefined;
    prometheus = await startPrometheus(statsAddress, stack.secrets.innerSecret, alertmanager?.address);
  });
  afterAll(async () => {
    await prometheus?.stop();
    await alertmanager?.stop();
    await stack?.stop();
  });

  // First, so that what it takes until one that was killed is gone goes by beside the other tests.
  test('three workers are three targets', async () => {
    const third = await stack.startWorker();
    await untilFixed(() => workersUp(3), 120_000);
    await third.end('SIGKILL');
    isGone = untilFixed(async () => {
      const listed = await (await listTargets()).text();
      return [...(await workersUp(2)), ...(listed.split('"worker"').length === 3 ? [] : [listed])];
    }, GONE_WITHIN_MS);
    // A failure is one of the test that waits for it.
    isGone.catch(() => undefined);
  });

  test('every query of every panel and every recording rule has data', async () => {
    const { key } = await stack.createKey();
    const { key: limited } = await stack.createKey('--per-hour', '1');
    await untilFixed(async () => {
      await sendTraffic(stack, key, limited);
      const empty: string[] = [];
      for (const { name, expr } of [...panels, ...records]) {
        const samples = await prometheus.query(expr);
        if (!samples.some(({ value }) => !Number.isNaN(Number(value[1])))) empty.push(`${name}: ${expr}`);
      }
      return empty;
    }, 120_000);
    expect(panels.length).toBeGreaterThan(40);
  });

  (hasAlertmanager ? test : test.skip)(
    'an alert that fires arrives at the webhook, and names its runbook',
    async () => {
      expect(await alertmanager?.receives('Watchdog')).toMatchObject({
        status: 'firing',
        labels: { alertname: 'Watchdog', severity: 'none' },
        annotations: { runbook_url: `${RUNBOOKS_URL}/watchdog.md`, summary: expect.stringMatching(/\S/) },
      });
      // What is the same for all alerts is in their annotations alone.
      expect((await alertmanager?.receives('Watchdog'))?.labels).not.toHaveProperty('runbooks');
    },
  );

  test('what was served was recorded, to the last request', async () => {
    await untilFixed(async () => {
      const [served, recorded] = await Promise.all(
        ['gateway_requests_total', 'stats_requests_recorded_total'].map((metric) => prometheus.query(`sum(${metric})`)),
      );
      const figures = [served, recorded].map((samples) => Number(samples?.[0]?.value[1]));
      return figures[0] === figures[1] && figures[0]! > 0 ? [] : [`served ${figures[0]}, recorded ${figures[1]}`];
    }, 120_000);
  });

  test('a worker that was killed is gone', async () => {
    await isGone;
  });

  test("promtool finds nothing wrong with any service's metrics", async () => {
    const targets = (await (await listTargets()).json()) as {
      targets: string[];
      labels: { job: string };
    }[];
    expect(new Set(targets.map(({ labels }) => labels.job))).toEqual(new Set(['gateway', 'worker', 'stats-service']));
    for (const { targets: addresses } of targets) {
      const metrics = await (await fetch(`http://${addresses[0]}/metrics`)).text();
      const check = spawnSync('promtool', ['check', 'metrics'], { input: metrics, encoding: 'utf8' });
      expect(check.stdout + check.stderr).toBe('');
    }
  });
});

/** Touches every path that a metric stands on. */
async function sendTraffic({ url, upstream }: Stack, key: string, limited: string): Promise<void> {
  const answer = {
    kind: 'answer',
    text: Object.values(madeUpSecrets(7))
      .map(({ text }) => text)
      .join('\n'),
  } as const;
  const generate = (query: Record<string, string>, path = '/api/ai') => ask(url, path, { query });
  upstream.behave(answer);
  for (const path of ['/api/ai', '/api/ai2', '/api/ai3']) await generate({ apikey: key, prompt: 'hi' }, path);
  await generate({ apikey: key, prompt: 'hi', model: 'ai-2.5-pro' });
  const streamed = `/api/ai?${new URLSearchParams({ apikey: key, prompt: 'hi' }).toString()}`;
  await (await fetch(new URL(streamed, url), { headers: { accept: 'text/event-stream' } })).text();
  await generate({ apikey: limited, prompt: 'hi' });
  await generate({ apikey: key, prompt: 'hi', temperature: '99' });
  await generate({ apikey: 'lt_live_unknown', prompt: 'hi' });
  let calls = 0;
  upstream.behave(() => (calls++ === 0 ? { kind: 'status', status: 429, headers: { 'retry-after': '0' } } : answer));
  await generate({ apikey: key, prompt: 'again' });
  upstream.behave({ kind: 'status', status: 400 });
  await generate({ apikey: key, prompt: 'refused' });
  upstream.behave('blocked');
  await generate({ apikey: key, prompt: 'blocked' });
  for (const path of ['/api/usage', '/api/stats', '/api/health', '/api/check-limit', '/api/nowhere'])
    await ask(url, path);
  await ask(url, '/api/code', { method: 'POST', headers: { 'x-api-key': key }, body: { code: 'print(1)' } });
}

/** Grafana's variables, as it would fill them in. */
function withWindows(expr: string): string {
  return expr
    .replaceAll('$__rate_interval', '30s')
    .replaceAll('$__range', '5m')
    .replaceAll(/\$(?:instance|endpoint)\b/g, '.*');
}

/** Looks again until nothing is wrong; what is wrong at the end of the time fails the test. */
async function untilFixed(look: () => Promise<string[]>, withinMs: number): Promise<void> {
  const end = Date.now() + withinMs;
  for (;;) {
    const wrong = await look();
    if (wrong.length === 0) return;
    if (Date.now() > end) expect(wrong).toEqual([]);
    await delay(500);
  }
}
