import { beforeAll, beforeEach } from '@jest/globals';
import type { FakeBehaviour } from '@lontar/shared/testing/fake-behaviour.ts';
import { type Ask, ask, type Reply } from '../harness/client.ts';
import type { GetService } from './service.ts';

export interface KeyOfTests {
  /** Once the tests run. */
  readonly key: string;
  /** Asks an endpoint, with what the options say alone. */
  generate(options?: Ask, path?: string): Promise<Reply>;
}

/**
 * Gives the tests of a file a key of their own, and before each of them an upstream that has forgotten all and answers.
 *
 * @param behaviour what the upstream answers
 */
export function useKey(
  service: GetService,
  behaviour: FakeBehaviour = { kind: 'answer', text: 'Halo! **Here** is an answer.' },
): KeyOfTests {
  let key = '';
  beforeAll(async () => {
    ({ key } = await service().createKey());
  }, 60_000);
  beforeEach(() => {
    service().upstream.reset();
    service().upstream.behave(behaviour);
  });
  return {
    get key() {
      return key;
    },
    generate: (options = {}, path = '/api/ai') => ask(service().url, path, options),
  };
}
