import type { FakeUpstream } from '@lontar/shared/testing/fake-upstream.ts';

/** The service as the black-box tests need it: its public address, its upstream, and the operator's command. */
export interface BlackBox {
  readonly url: string;
  /** What the worker takes for the model. */
  readonly upstream: FakeUpstream;
  readonly secrets: { readonly upstreamKey: string; readonly dashboardToken: string };
  /** Creates an API key with the operator's command. */
  createKey(...options: string[]): Promise<{ id: string; key: string }>;
  lontar(...args: string[]): Promise<unknown>;
  /** All instances' metrics added up, as stats-service hands them out. */
  aggregatedMetrics(): Promise<string>;
}

/** Gives the service of the test file; a function, because it is started before the tests and not before them all. */
export type GetService = () => BlackBox;

/** With these settings the service is to be started. */
export const BLACK_BOX_SETTINGS = {
  MODEL_MAP: '{"ai-2.5-flash":"upstream-small","ai-2.5-pro":"upstream-large"}',
  BAN_AFTER_BAD_KEYS: '0',
  RATE_LIMIT_PER_HOUR: '1000000',
  MAX_CONNECTIONS_PER_ADDRESS: '100000',
  UPLOADS_PER_DAY: '1000',
} as const;
