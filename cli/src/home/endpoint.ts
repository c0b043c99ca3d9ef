import { readFileSync, rmSync } from 'node:fs';
import { z } from 'zod';
import { replaceFile } from '../files/new-file.ts';
import type { Home } from './home.ts';

const endpointSchema = z.object({
  /** Process id of `npm start`. */
  pid: z.number().int(),
  redisUrl: z.string(),
  /** One for each gateway. */
  baseUrls: z.array(z.string()).min(1),
  startedAt: z.string(),
  /** The ports of each process, by the names of their settings; absent in what an earlier version left. */
  ports: z.record(z.string(), z.record(z.string(), z.string())).optional(),
});

/** Where the running service is. */
export type RunningService = z.infer<typeof endpointSchema>;

/** Where `lontar` finds the service. For the owner's eyes alone: the Redis address may hold a password. */
export function writeEndpoint(home: Home, service: RunningService): void {
  replaceFile(home.endpoint, `${JSON.stringify(service, null, 2)}\n`);
}

/** What `npm start` left, or `undefined` while nothing runs. */
export function readEndpoint(home: Home): RunningService | undefined {
  try {
    return endpointSchema.parse(JSON.parse(readFileSync(home.endpoint, 'utf8')));
  } catch {
    return undefined;
  }
}

export function removeEndpoint(home: Home): void {
  rmSync(home.endpoint, { force: true });
}
