import { execFile, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../../', import.meta.url));

const PULL_WITHIN_MS = 120_000;

/**
 * Whether containers of these images can be run here: a Docker engine with Compose answers, and has the images or can
 * pull them. An engine that reaches no registry is as good as none.
 */
export function canRun(...images: readonly string[]): boolean {
  return (
    docker(10_000, 'info') &&
    docker(10_000, 'compose', 'version') &&
    images.every((image) => docker(10_000, 'image', 'inspect', image) || docker(PULL_WITHIN_MS, 'pull', image))
  );
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

/** `docker restart`: the container is told to stop, and started again when it has. */
export async function restart(container: string): Promise<void> {
  await run('docker', ['restart', '--time', '40', container]);
}

export async function inspect(containers: readonly string[]): Promise<Inspected[]> {
  const { stdout } = await run('docker', ['inspect', ...containers], { maxBuffer: 64 * 1024 * 1024 });
  return JSON.parse(stdout) as Inspected[];
}
