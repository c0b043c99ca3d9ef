import { expect, test } from '@jest/globals';
import type { SentinelAnswer } from './find-by-sentinels.ts';
import { isSuccessor, judgeStanding } from './still-primary.ts';

const OURS = { host: '10.0.0.1', port: 6379 };
const OTHER = { host: '10.0.0.2', port: 6379 };
const sentinel = { host: '10.0.0.9', port: 26379 };

const names = (primary: typeof OURS, epoch: number, isFailingOver = false): SentinelAnswer => ({
  ...{ sentinel, primary, epoch, isFailingOver },
});
const fails = (code: string): SentinelAnswer => ({ sentinel, failure: Object.assign(new Error(code), { code }) });

test.each([
  ['all name it', [names(OURS, 1), names(OURS, 1), names(OURS, 1)], 'primary'],
  ['one of three is away', [names(OURS, 1), names(OURS, 1), fails('ETIMEDOUT')], 'primary'],
  ['two of three have ended', [names(OURS, 1), fails('ECONNREFUSED'), fails('ECONNREFUSED')], 'primary'],
  [
    'two of three cannot be reached',
    [names(OURS, 1), fails('ETIMEDOUT'), fails('EHOSTUNREACH')],
    'primary of a minority',
  ],
  ['one has begun a failover', [names(OURS, 1), names(OURS, 1, true), names(OURS, 1)], 'failing over'],
  ['one has ended a failover', [names(OURS, 1), names(OTHER, 2), names(OURS, 1)], 'replaced'],
  ['one has not heard of it yet', [names(OURS, 2), names(OTHER, 1), names(OURS, 2)], 'primary'],
  ['none answers', [fails('ETIMEDOUT'), fails('ETIMEDOUT'), fails('ECONNREFUSED')], 'unknown'],
  ['none knows the name', [{ sentinel }, { sentinel }, { sentinel }], 'unknown'],
] as const)('what the Sentinels say is judged: %s', (_what, answers, standing) => {
  expect(judgeStanding(answers, (primary) => primary === OURS)).toBe(standing);
});

const NONE = '0'.repeat(40);
const says = (role: string, id: string, before: string) =>
  `# Replication\r\nrole:${role}\r\nmaster_replid:${id}\r\nmaster_replid2:${before}\r\n`;

test.each([
  ['one that followed, and was made the primary', says('master', 'b1', 'a1'), true],
  ['one that follows', says('slave', 'a1', NONE), false],
  ['one that was the primary before, and has come back', says('master', 'z1', NONE), false],
  ['one that was it before, and had followed another one', says('master', 'z1', 'y1'), false],
  ['one that gives no answer', undefined, false],
] as const)('of servers that have followed is a successor: %s', (_which, info, isOne) => {
  expect(isSuccessor(info, says('master', 'a1', 'z1'))).toBe(isOne);
  expect(isSuccessor(info, undefined)).toBe(false);
});
