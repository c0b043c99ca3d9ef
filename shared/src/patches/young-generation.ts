import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const MEGABYTE = 1024 * 1024;
/** Two halves, of which one is in use at a time. */
const HALVES = 2;
const STEP_OBJECTS = 10_000;
/** It grows when more than it holds has survived. */
const MOST_OBJECTS = 100_000;
const MOST_STEPS = 1_000;

/**
 * Lets V8's young generation grow to about this and no further. By itself it would take up to 128 MB under load, and
 * what strangers send would be let go of only when that is full.
 *
 * To be called before most of a program is loaded, because what has grown stays. The flag of V8 that bounds it
 * (`--max-semi-space-size`) has to stand on the command line, which those who start a process may leave out; the one for
 * its growth is read at each step (Node 24). young-generation.int.test.ts would notice a change.
 */
export function boundYoungGeneration(halfMb: number): void {
  let survivors: object[] = [];
  for (let step = 0; step < MOST_STEPS && youngBytes() < halfMb * HALVES * MEGABYTE; step++) {
    if (survivors.length >= MOST_OBJECTS) survivors = [];
    for (let index = 0; index < STEP_OBJECTS; index++) survivors.push({ index });
  }
  setFlagsFromString('--semi-space-growth-factor=1');
}

/** What the young generation takes, bytes. */
export function youngBytes(): number {
  return getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space')?.space_size ?? 0;
}

/**
 * Lets go of what has been read from sockets and is used no more, when so much has been read since the last time. V8
 * would wait until it is 32 MB, and for what has become old until it is 64 MB.
 *
 * V8 shows its collector to contexts that are made after the flag is set.
 *
 * @returns what to call with each piece that was read, bytes
 */
export function collectAfter(mostBytes: number): (bytes: number) => void {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as (how: { type: 'minor' }) => void;
  setFlagsFromString('--no-expose-gc');
  let read = 0;
  return (bytes) => {
    read += bytes;
    if (read < mostBytes) return;
    read = 0;
    collect({ type: 'minor' });
  };
}
