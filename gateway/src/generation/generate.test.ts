import { describe, expect, test } from '@jest/globals';
import { addressBits } from '@lontar/shared/address.ts';
import { mintApiKey } from '@lontar/shared/api-key.ts';
import { identify } from '../caller/identify.ts';
import { Leaving } from '../envelope/leaving.ts';
import type { RequestContext } from '../envelope/request-context.ts';
import { type GenerateDeps, generate } from './generate.ts';
import { promptProtocol } from './prompt-protocol.ts';
import { createTurnstile } from './turnstile.ts';

const TIMEOUT_MS = 120_000;

/** Reading anything else fails: no part of the service may be used here. */
function untouched(deps: Partial<GenerateDeps>): GenerateDeps {
  return new Proxy(deps as GenerateDeps, {
    get(target, name) {
      if (!(name in target)) throw new Error(`${String(name)} was asked`);
      return Reflect.get(target, name);
    },
  });
}

const context = (over: Partial<RequestContext>): RequestContext => ({
  id: `req_${'0'.repeat(22)}`,
  method: 'POST',
  protocol: 'envelope',
  receivedAt: performance.now(),
  query: new URLSearchParams({ prompt: 'hi' }),
  body: undefined,
  headers: {},
  key: identify({ query: new URLSearchParams(), headers: { 'x-api-key': mintApiKey().key }, body: undefined }),
  address: '192.0.2.1',
  addressBits: addressBits('192.0.2.1') ?? '',
  gone: new Leaving(),
  ...over,
});

describe('a request that has waited in line', () => {
  const deps = untouched({ turnstile: createTurnstile(), timeoutMs: TIMEOUT_MS });

  test('past its deadline is answered 504 and asks for no admission', async () => {
    const late = context({ receivedAt: performance.now() - TIMEOUT_MS });
    expect(await generate(deps, promptProtocol('/api/ai'), late)).toMatchObject({
      status: 504,
      body: { error: 'Timed out' },
    });
  });

  test('until its caller had left asks for no admission', async () => {
    const left = context({ gone: new Leaving('left') });
    expect(await generate(deps, promptProtocol('/api/ai'), left)).toMatchObject({ status: 499 });
  });

  test('but is in time is not refused here', async () => {
    await expect(generate(deps, promptProtocol('/api/ai'), context({}))).rejects.toThrow('was asked');
  });
});
