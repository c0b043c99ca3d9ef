import { sendFrames } from '@lontar/shared/live/send-frames.ts';
import type { WorkerMetrics } from '@lontar/shared/metrics.ts';
import { writeGathered } from '@lontar/shared/patches/gather-writes.ts';
import type { Redis } from '@lontar/shared/redis-connection.ts';
import { type FilledBatch, type Outgoing, packFrames } from './frame-batches.ts';

/** Bytes of frames that Redis has not answered for yet; what comes beyond them is dropped. */
const MOST_BYTES_ON_THE_WAY = 8_388_608;

export interface SendDeps {
  readonly redis: Redis;
  /** Instance id of this worker. */
  readonly worker: string;
  readonly metrics: Pick<WorkerMetrics, 'framesSent' | 'frameBytes' | 'framesDropped'>;
  /** Called for each write that Redis refused; must not flood the log. */
  readonly onRedisFailure: (error: unknown) => void;
}

export interface FrameSender {
  /** Sends frames, or drops them where Redis does not take them at once. Never throws, and waits for nothing. */
  send(all: readonly Outgoing[]): void;
  /** The same for one with whom a turn of the event loop ends: what the turn has gathered is written with it, at once. */
  sendAtEnd(all: readonly Outgoing[]): void;
}

/** Sends the pieces of a worker's streams. Never throws: what Redis refuses is dropped and counted, and readers get it later. */
export function frameSender({ redis, worker, metrics, onRedisFailure }: SendDeps): FrameSender {
  let bytesOnTheWay = 0;
  const nextSequence = countEntries();

  function send(all: readonly Outgoing[]): void {
    for (const batch of packFrames(all, nextSequence)) {
      if (redis.status !== 'ready') drop(batch, 'redis_away');
      else if (bytesOnTheWay + batch.bytes > MOST_BYTES_ON_THE_WAY) drop(batch, 'behind');
      else void sendBatch(batch);
    }
  }

  async function sendBatch(batch: FilledBatch): Promise<void> {
    const { frames, bytes, asking, counts } = batch;
    bytesOnTheWay += bytes;
    try {
      const { firsts, taken } = await sendFrames(redis, worker, batch);
      const dropped = [...counts].reduce((sum, [gateway, count]) => (taken.has(gateway) ? sum : sum + count), 0);
      metrics.framesSent.inc(frames - dropped);
      metrics.frameBytes.inc(bytes);
      if (dropped > 0) metrics.framesDropped.inc({ reason: 'gateway' }, dropped);
      for (const [index, { onStanding }] of asking.entries()) onStanding(firsts[index]);
    } catch (error) {
      onRedisFailure(error);
      drop(batch, 'refused');
    } finally {
      bytesOnTheWay -= bytes;
    }
  }

  function drop({ frames, asking, streams }: FilledBatch, reason: 'redis_away' | 'behind' | 'refused'): void {
    metrics.framesDropped.inc({ reason }, frames);
    for (const { onLost } of streams) onLost();
    for (const { onStanding } of asking) onStanding(undefined);
  }

  function sendAtEnd(all: readonly Outgoing[]): void {
    if (all.length === 0) return;
    send(all);
    writeGathered(redis);
  }

  return { send, sendAtEnd };
}

/** Gateways whose entries are counted; a gateway that is counted anew sees that as a gap, and fills it. */
const MOST_GATEWAYS = 1_000;

function countEntries(): (gateway: string) => number {
  const sequences = new Map<string, number>();
  return (gateway) => {
    const [oldest] = sequences.size >= MOST_GATEWAYS && !sequences.has(gateway) ? sequences.keys() : [];
    if (oldest !== undefined) sequences.delete(oldest);
    const next = (sequences.get(gateway) ?? 0) + 1;
    sequences.set(gateway, next);
    return next;
  };
}
