import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createGzip } from 'node:zlib';
import type { Results } from '../results.ts';

const MEGABYTE = 1_000_000;

/**
 * How large an image is on its way to a machine: packed as registries keep its layers.
 *
 * @returns `undefined` where no Docker engine answers, or it has no such image: the size is left out, and said so
 */
export async function measureImage(name: string): Promise<Results['image']> {
  const docker = spawn('docker', ['save', name], { stdio: ['ignore', 'pipe', 'ignore'] });
  const ended = once(docker, 'close').catch(() => [1]);
  const packed = docker.stdout.pipe(createGzip());
  let bytes = 0;
  for await (const piece of packed) bytes += (piece as Buffer).length;
  const [code] = (await ended) as [number];
  if (code === 0) return { name, compressedMegabytes: bytes / MEGABYTE };
  console.error(`Docker has no image ${name} here: its size is left out.`);
  return undefined;
}
