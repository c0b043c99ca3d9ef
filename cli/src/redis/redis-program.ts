/** A program that can be our Redis. */
export type RedisProgram =
  /** `libraries`: where those are that the system has not, as LD_LIBRARY_PATH takes them. */
  | { readonly kind: 'server'; readonly path: string; readonly libraries?: string }
  | { readonly kind: 'docker'; readonly path: string; readonly image: string };
