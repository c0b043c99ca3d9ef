/**
 * Tells whether a socket's address is a proxy's whose word on its callers is taken: `TRUST_PROXY`, as Express reads it, so
 * that connections are counted by the same truth as addresses are read.
 *
 * Uses the setting `trust proxy fn`, which Express keeps for itself: checked with Express 5.3.0. trusted-proxies.test.ts
 * fails where it is no longer there.
 */
export function isProxy(app: { get(setting: string): unknown }): (address: string) => boolean {
  const trusts = app.get('trust proxy fn') as (address: string, hop: number) => boolean;
  return (address) => trusts(address, 0);
}
