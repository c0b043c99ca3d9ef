/** What a load generator is to do. */
export interface LoadPlan {
  /** Connections are spread over them. */
  readonly ports: readonly number[];
  readonly connections: number;
  /** Whole HTTP requests, sent in turn. */
  readonly requests: readonly string[];
  /** Load before the measurement starts, so that code is compiled and connections are open. */
  readonly warmUpSeconds: number;
  readonly seconds: number;
  /** Ends after so many answers where that is before `seconds`. */
  readonly most?: number;
}

/** What it says. */
export type LoadMessage =
  | { readonly kind: 'started' }
  | {
      readonly kind: 'finished';
      readonly seconds: number;
      /** Of each answer with status 200, ms. */
      readonly latencies: readonly number[];
      /** How many requests ended otherwise, by how. */
      readonly failures: Readonly<Record<string, number>>;
    };
