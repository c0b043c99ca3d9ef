import type { Redis } from '../src/redis-connection.ts';
import { loadScript } from '../src/redis-script.ts';

const fillScript = loadScript(new URL('./fill-window.lua', import.meta.url));
const ageScript = loadScript(new URL('./age-window.lua', import.meta.url));

/** Makes each of these sliding windows hold so many requests, all of this second. @throws when Redis fails */
export async function fillWindows(redis: Redis, windows: readonly string[], requests: number): Promise<void> {
  await fillScript(redis, windows, [requests]);
}

/** Makes a sliding window as old as if all its requests had been so many seconds earlier. @throws when Redis fails */
export async function ageWindow(redis: Redis, window: string, seconds: number): Promise<void> {
  await ageScript(redis, [window], [seconds]);
}
