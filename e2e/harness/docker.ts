import { execFile, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const ROOT_URL = new URL('../../', import.meta.url);
const ROOT = fileURLToPath(ROOT_URL);

const ANSWER_WITHIN_MS = 10_000;
const PULL_WITHIN_MS = 120_000;
/** What Testcontainers cleans up with; its own variable names another one. */
const HELPER_IMAGE = process.env['RYUK_CONTAINER_IMAGE'] || 'testcontainers/ryuk:0.14.0';

/**
 * Whether containers of these images can be run here: a Docker engine with Compose answers, and has the images and
 * Testcontainers' own helper image, or can pull them. An engine that reaches no registry is as good as none.
 */
export function canRun(...images: readonly string[]): boolean {
  if (!docker(ANSWER_WITHIN_MS, 'info') || !docker(ANSWER_WITHIN_MS, 'compose', 'version')) return false;
  const lacking = images.find((image) => obtain(image) === undefined) ?? lackingHelper();
  if (lacking === undefined) return true;
  process.stderr.write(`A Docker engine answers, but the image ${lacking} is not there and cannot be pulled.\n`);
  return false;
}

/**
 * The settings that name the images of docker-compose.yml and the Dockerfile as they can be had here: by digest, as
 * written there, or by their tag alone where an engine has no registry and images under these tags.
 *
 * @param names such as `REDIS_IMAGE`
 * @returns nothing where one cannot be had, or Testcontainers cannot run
 */
export function baseImages(...names: readonly string[]): Readonly<Record<string, string>> | undefined {
  const written = writtenImages();
  const images = names.map((name) => written.get(name) ?? '');
  if (!canRun(...images)) return undefined;
  return Object.fromEntries(names.map((name, index) => [name, obtain(images[index] ?? '') ?? '']));
}

/** Images that docker-compose.yml and the Dockerfile name, by the setting that replaces each. */
function writtenImages(): Map<string, string> {
  const compose = readFileSync(new URL('docker-compose.yml', ROOT_URL), 'utf8');
  const dockerfile = readFileSync(new URL('Dockerfile', ROOT_URL), 'utf8');
  const found = [
    ...compose.matchAll(/\$\{(\w+_IMAGE):-([^}]+)\}/g),
    ...dockerfile.matchAll(/^ARG (\w+_IMAGE)=(\S+)$/gm),
  ];
  return new Map(found.map(([, name = '', image = '']) => [name, image]));
}

/** The name under which an image is there, pulled where that can be. */
function obtain(image: string): string | undefined {
  if (isHere(image) || docker(PULL_WITHIN_MS, 'pull', image)) return image;
  const [tagged = ''] = image.split('@');
  return tagged !== image && isHere(tagged) ? tagged : undefined;
}

function isHere(image: string): boolean {
  return docker(ANSWER_WITHIN_MS, 'image', 'inspect', image);
}

function lackingHelper(): string | undefined {
  if (process.env['TESTCONTAINERS_RYUK_DISABLED'] === 'true') return undefined;
  return obtain(HELPER_IMAGE) === undefined ? HELPER_IMAGE : undefined;
}

function docker(timeout: number, ...args: readonly string[]): boolean {
  return spawnSync('docker', args, { stdio: 'ignore', timeout }).status === 0;
}

/** `docker compose …` on the project's own file; what it prints. */
export async function compose(
  project: string,
  environment: Record<string, string>,
  ...args: string[]
): Promise<string> {
  const { stdout } = await begin(project, environment, args);
  return stdout;
}

/** Sets a secret as an operator does, from a file. */
export async function setSecret(
  project: string,
  environment: Record<string, string>,
  name: string,
  value: string,
): Promise<void> {
  const running = begin(project, environment, ['run', '--rm', '-T', 'secrets', 'secrets', 'set', name]);
  running.child.stdin?.end(value);
  await running;
}

function begin(project: string, environment: Record<string, string>, args: readonly string[]) {
  return run('docker', ['compose', '--project-name', project, ...args], {
    cwd: ROOT,
    env: { ...process.env, ...environment },
    maxBuffer: 64 * 1024 * 1024,
  });
}

/** What `docker inspect` says of containers. */
export interface Inspected {
  readonly Name: string;
  readonly Config: { readonly User: string; readonly Env: readonly string[] };
  readonly State: { readonly Health?: { readonly Status: string } };
  readonly HostConfig: {
    readonly ReadonlyRootfs: boolean;
    readonly CapDrop: readonly string[] | null;
    readonly CapAdd: readonly string[] | null;
    readonly SecurityOpt: readonly string[] | null;
    readonly Privileged: boolean;
    readonly Memory: number;
    readonly RestartPolicy: { readonly Name: string };
    readonly LogConfig: { readonly Config: Readonly<Record<string, string>> };
    readonly PortBindings: Readonly<Record<string, readonly { readonly HostIp: string }[]>>;
  };
}

/** The address of Docker's own bridge: of this machine, and reachable from it and its containers alone. */
export async function bridgeAddress(): Promise<string> {
  const { stdout } = await run('docker', ['network', 'inspect', 'bridge', '-f', '{{(index .IPAM.Config 0).Gateway}}']);
  return stdout.trim();
}

/** `docker restart`: the container gets the signal to stop, and started again when it has. */
export async function restart(container: string): Promise<void> {
  await run('docker', ['restart', '--time', '40', container]);
}

export async function inspect(containers: readonly string[]): Promise<Inspected[]> {
  const { stdout } = await run('docker', ['inspect', ...containers], { maxBuffer: 64 * 1024 * 1024 });
  return JSON.parse(stdout) as Inspected[];
}
