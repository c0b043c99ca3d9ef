import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort } from '@lontar/shared/testing/redis-server.ts';

const FILES = fileURLToPath(new URL('../../deploy/proxy/', import.meta.url));
const HOST = 'llm.example.com';

/** A reverse proxy on the project's own example file, with HTTPS. */
export interface Proxy {
  readonly port: number;
  /** The name that its certificate is for; it is to be asked for under this name. */
  readonly host: string;
  /** The certificate, PEM. */
  readonly certificate: string;
  /** What it has logged of requests. */
  accessLog(): Promise<string>;
  /** What it has said besides: its log of errors, and what came out of the program itself. */
  errorLog(): Promise<string>;
  stop(): Promise<void>;
}

interface Kind {
  readonly name: 'nginx' | 'caddy';
  readonly isHere: boolean;
  /** Whether it can bring a POST to another gateway when the first cannot be reached. */
  readonly movesPosts: boolean;
  /** What the program itself says of the file: throws when it does not take it. */
  check(gateways: readonly string[]): Promise<void>;
  /** @param options.waits whether it waits for gateways that it cannot reach, where its file says so (the default) */
  start(gateways: readonly string[], options?: { readonly waits?: boolean }): Promise<Proxy>;
}

/** nginx on `deploy/proxy/nginx.conf`, in which only paths, ports and the list of gateways are other ones. */
export const nginx: Kind = {
  name: 'nginx',
  isHere: has('nginx', '-v') && has('openssl', 'version'),
  movesPosts: true,
  async check(gateways) {
    const place = await makePlace();
    await writeNginx(place, gateways);
    try {
      execFileSync('nginx', ['-t', '-p', place.folder, '-c', 'nginx.conf'], { stdio: 'pipe' });
    } finally {
      await place.remove();
    }
  },
  async start(gateways) {
    const place = await makePlace();
    await writeNginx(place, gateways);
    return run(place, 'nginx', ['-p', place.folder, '-c', 'nginx.conf', '-g', 'daemon off;']);
  },
};

/** Caddy on `deploy/proxy/Caddyfile`, likewise. */
export const caddy: Kind = {
  name: 'caddy',
  isHere: has('caddy', 'version') && has('openssl', 'version'),
  movesPosts: caddyMinor() >= 8,
  async check() {
    execFileSync('caddy', ['validate', '--adapter', 'caddyfile', '--config', join(FILES, 'Caddyfile')], {
      stdio: 'pipe',
    });
  },
  async start(gateways, { waits = true } = {}) {
    const place = await makePlace();
    const [options = '', site = ''] = (await readFile(join(FILES, 'Caddyfile'), 'utf8')).split(`${HOST} {`);
    const own = site
      .replace('reverse_proxy 127.0.0.1:8080', `reverse_proxy ${gateways.join(' ')}`)
      .replace('lb_try_duration 30s', waits ? '$&' : 'lb_try_duration 0')
      .replace('\tlog {', `\tlog {\n\t\toutput file ${place.folder}/access.log`);
    await writeFile(
      join(place.folder, 'Caddyfile'),
      `${options.replace(/^\{$/m, '{\n\tadmin off\n\tauto_https off')}https://${HOST}:${place.port} {
\ttls ${place.folder}/cert.pem ${place.folder}/key.pem${own}`,
    );
    return run(place, 'caddy', ['run', '--adapter', 'caddyfile', '--config', join(place.folder, 'Caddyfile')]);
  },
};

interface Place {
  readonly folder: string;
  readonly port: number;
  remove(): Promise<void>;
}

async function makePlace(): Promise<Place> {
  const folder = await mkdtemp(join(tmpdir(), 'lontar-proxy-'));
  const subject = ['-subj', `/CN=${HOST}`, '-addext', `subjectAltName=DNS:${HOST}`, '-days', '2'];
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', 'key.pem'];
  execFileSync('openssl', ['req', '-x509', ...key, '-out', 'cert.pem', ...subject], { cwd: folder, stdio: 'pipe' });
  return { folder, port: await freePort(), remove: () => rm(folder, { recursive: true, force: true }) };
}

async function writeNginx({ folder, port }: Place, gateways: readonly string[]): Promise<void> {
  const site = (await readFile(join(FILES, 'nginx.conf'), 'utf8'))
    .replace('server 127.0.0.1:8080 max_fails=0;', gateways.map((it) => `server ${it} max_fails=0;`).join('\n'))
    .replace('\n  listen 443 ', `\n  listen 127.0.0.1:${port} `)
    .replace(`/etc/letsencrypt/live/${HOST}/fullchain.pem`, `${folder}/cert.pem`)
    .replace(`/etc/letsencrypt/live/${HOST}/privkey.pem`, `${folder}/key.pem`)
    .replace('/var/log/nginx/lontar.log', `${folder}/access.log`)
    .replace('/var/log/nginx/error.log', `${folder}/error.log`);
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((it) => `${it}_temp_path ${folder}/${it};`);
  await writeFile(
    join(folder, 'nginx.conf'),
    `pid ${folder}/pid; error_log ${folder}/error.log; events {} http { ${paths.join(' ')}\n${site} }`,
  );
}

async function run(place: Place, program: string, args: readonly string[]): Promise<Proxy> {
  const { folder, port } = place;
  const errors = await open(join(folder, 'error.log'), 'a');
  const env = { ...process.env, HOME: folder, XDG_DATA_HOME: folder };
  const child = spawn(program, args, { stdio: ['ignore', errors.fd, errors.fd], env });
  const gone = once(child, 'exit');
  await errors.close();
  while (!(await accepts(port))) {
    if (child.exitCode !== null) throw new Error(`${program} ended before it listened`);
    await delay(50);
  }
  return {
    port,
    host: HOST,
    certificate: await readFile(join(folder, 'cert.pem'), 'utf8'),
    accessLog: () => readFile(join(folder, 'access.log'), 'utf8'),
    errorLog: () => readFile(join(folder, 'error.log'), 'utf8'),
    async stop() {
      child.kill();
      await gone;
      await place.remove();
    },
  };
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}

/** Of Caddy 2. */
function caddyMinor(): number {
  const { stdout } = spawnSync('caddy', ['version'], { encoding: 'utf8' });
  return Number(/^v?2\.(\d+)/.exec(stdout ?? '')?.[1] ?? 0);
}

function has(program: string, ...args: string[]): boolean {
  return spawnSync(program, args, { stdio: 'ignore' }).status === 0;
}
