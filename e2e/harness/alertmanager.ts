import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { freePort } from '@lontar/shared/testing/redis-server.ts';

const CONFIGURATION = new URL('../../dashboard/alertmanager/alertmanager.yml', import.meta.url);
/** Debian's name for it, and its own. */
const PROGRAM = ['prometheus-alertmanager', 'alertmanager'].find(
  (program) => spawnSync(program, ['--version'], { stdio: 'ignore' }).status === 0,
);
export const hasAlertmanager = PROGRAM !== undefined;

export interface ReceivedAlert {
  readonly status: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

/** A real Alertmanager on the project's own configuration, and the webhook that it sends to. */
export interface Alertmanager {
  /** `host:port` */
  readonly address: string;
  /** Resolves with the first alert of this name that the webhook gets, from now on or before. */
  receives(name: string): Promise<ReceivedAlert>;
  stop(): Promise<void>;
}

/** Starts both, with waits of seconds instead of minutes. */
export async function startAlertmanager(): Promise<Alertmanager> {
  const folder = await mkdtemp(join(tmpdir(), 'lontar-alertmanager-'));
  const received = new Map<string, ReceivedAlert>();
  const webhook = createServer((request, response) => {
    void text(request).then((body) => {
      const { alerts } = JSON.parse(body) as { alerts: ReceivedAlert[] };
      for (const alert of alerts) received.set(alert.labels['alertname'] ?? '', alert);
      response.end();
      webhook.emit('alerts');
    });
  }).listen(0, '127.0.0.1');
  await once(webhook, 'listening');
  const url = `http://127.0.0.1:${(webhook.address() as AddressInfo).port}/`;
  const file = join(folder, 'alertmanager.yml');
  const configuration = await readFile(CONFIGURATION, 'utf8');
  await writeFile(
    file,
    configuration
      // Debian 12 has a version that reads no addresses from files.
      .replace('url_file: /run/secrets/alert_webhook_url', `url: ${url}`)
      .replaceAll(/\b(group_wait|group_interval|repeat_interval): \d+[smh]/g, '$1: 1s'),
  );
  const port = await freePort();
  const address = `127.0.0.1:${port}`;
  const args = [`--config.file=${file}`, `--storage.path=${folder}`, `--web.listen-address=${address}`];
  const server = spawn(PROGRAM ?? '', [...args, '--cluster.listen-address='], { stdio: 'ignore' });
  return {
    address,
    async receives(name) {
      for (;;) {
        const alert = received.get(name);
        if (alert) return alert;
        await once(webhook, 'alerts');
      }
    },
    async stop() {
      const gone = once(server, 'exit');
      server.kill('SIGKILL');
      await gone;
      webhook.closeAllConnections();
      webhook.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
