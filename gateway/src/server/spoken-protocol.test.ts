import { expect, test } from '@jest/globals';
import { protocolOf } from './spoken-protocol.ts';

test.each(['/v1', '/v1/', '/v1?x', '/v1/chat/completions', '/v1/nothing', 'http://host:80/v1/models', 'HTTPS://h/v1'])(
  "%s is answered in OpenAI's form",
  (target) => expect(protocolOf(target)).toBe('openai'),
);

test.each(['/', '/api/ai', '/v10', '/v1x', '/x/v1/', '//v1/', '*', '', undefined, 'http://host/api/?/v1/'])(
  '%p is answered in the envelope',
  (target) => expect(protocolOf(target)).toBe('envelope'),
);
