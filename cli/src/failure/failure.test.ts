import { expect, test } from '@jest/globals';
import { RedisAwayError } from '@lontar/shared/redis-away.ts';
import { describeFailure, EXIT } from './failure.ts';

test('a Redis that goes away during a command is told from one that refuses it', () => {
  const silent = new RedisAwayError('Command timed out', { replied: false });
  const full = new RedisAwayError('OOM command not allowed', { replied: true });
  expect(describeFailure(silent)).toEqual({
    exitCode: EXIT.redisUnreachable,
    message: 'Redis went away: Command timed out',
  });
  expect(describeFailure(full)).toEqual({ exitCode: EXIT.failed, message: 'OOM command not allowed' });
  expect(describeFailure(new Error('Command timed out')).exitCode).toBe(EXIT.failed);
});
