import type { GenerationQueue } from '@lontar/shared/generation-queue.ts';
import type { HttpAnswer } from '@lontar/shared/http/envelope.ts';
import type { RedisClock } from '@lontar/shared/redis-clock.ts';
import type { Redis } from '@lontar/shared/redis-connection.ts';
import type { Asked } from '../asked.ts';
import type { FleetWatch } from '../fleet/watch-fleet.ts';
import type { ChangeConnections } from './change-connections.ts';
import type { IdentifyDeps, Operator } from './identify-operator.ts';

/** What the handlers of the admin API use. */
export interface AdminDeps extends IdentifyDeps {
  readonly redis: Redis;
  readonly clock: RedisClock;
  readonly queue: GenerationQueue;
  readonly fleet: Pick<FleetWatch, 'fleet'>;
  readonly changes: ChangeConnections;
}

/** One request to the admin API, read and allowed. */
export interface AdminCall<Body = unknown> extends Pick<Operator, 'actor'> {
  readonly params: Asked['params'];
  readonly query: Readonly<Record<string, string>>;
  /** As the operation's schema gives it. */
  readonly body: Body;
  /** Of If-Match; absent where any will do. */
  readonly expectedVersion?: number | undefined;
  readonly idempotencyKey?: string | undefined;
}

export type AdminHandler = (deps: AdminDeps, call: AdminCall<never>) => Promise<HttpAnswer>;
