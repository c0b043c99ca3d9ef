import { readStreams, type StreamsRead } from '../load/run-streams.ts';
import type { StreamPlan } from '../load/stream-plan.ts';
import { type ServiceUnderTest, startServiceUnderTest } from '../processes/service-under-test.ts';
import type { StreamWish } from '../wish.ts';
import type { Upstream } from './contenders.ts';

export interface WarmOptions {
  /** Root of another checkout. */
  readonly root?: string;
  readonly profileFolder?: string | undefined;
}

/** A stream that warms the code up. */
export const WARMING = { tokens: 200, tokensPerSecond: 0, firstMs: 0 };
/** A stream by itself. */
export const ALONE = { tokensPerSecond: 50, firstMs: 20 };
export type Side = 'service' | 'direct';
type How = Partial<Pick<StreamPlan, 'streams' | 'turns' | 'rampMs'>>;
export type Ask = (side: Side, wish: StreamWish, how?: How, onOpened?: () => void) => Promise<StreamsRead>;

/** Asks the service, or the upstream itself, for streams. */
export function askOf(service: ServiceUnderTest, upstream: Upstream): Ask {
  return (side, wish, { streams = 1, turns = 1, rampMs = 0 } = {}, onOpened = () => undefined) =>
    readStreams(
      {
        port: side === 'direct' ? upstream.port : (service.ports[0] ?? 0),
        path: '/v1/chat/completions',
        headers: { authorization: `Bearer ${service.key}` },
        wish,
        ...{ streams, turns, rampMs },
        upstreamPort: upstream.port,
      },
      onOpened,
    );
}

/** @param turns of 50 streams each */
export async function startWarm(
  upstream: Upstream,
  { root, profileFolder }: WarmOptions,
  turns: number,
): Promise<ServiceUnderTest> {
  const settings = { WORKER_CONCURRENCY: '1000' };
  const service = await startServiceUnderTest({
    upstreamPort: upstream.port,
    workers: 2,
    profileFolder,
    root,
    settings,
  });
  await askOf(service, upstream)('service', WARMING, { streams: 50, turns });
  return service;
}
