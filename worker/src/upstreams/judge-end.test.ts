import { describe, expect, test } from '@jest/globals';
import type { ModelConfig } from '@lontar/shared/models/catalog.ts';
import { createEndJudge } from './judge-end.ts';

const model = { name: 'm' } as ModelConfig;
const OURS = { kind: 'ended by us', class: 'unknown' };

describe('what fails in the same way at a second upstream', () => {
  const same = { kind: 'timed_out', doubt: 'request' } as const;

  test('is the fault of the request while that upstream answers others, and not for longer', () => {
    const { judge } = createEndJudge();
    judge(model, 'a', 10_000, { kind: 'none' });
    expect(judge(model, 'a', 9_000, same)).toEqual(OURS);
    expect(judge(model, 'a', 12_000, same)).toEqual(OURS);
    expect(judge(model, 'a', 12_001, same)).toEqual({ kind: 'timed_out', class: 'stalled' });
    // An answer that ends late says how the upstream was when its call began.
    judge(model, 'a', 5_000, { kind: 'none' });
    expect(judge(model, 'a', 12_001, same)).toEqual({ kind: 'timed_out', class: 'stalled' });
  });

  test('is that of an upstream that never answered, whatever others answer', () => {
    const { judge } = createEndJudge();
    judge(model, 'b', 10_000, { kind: 'none' });
    expect(judge(model, 'a', 10_000, same)).toEqual({ kind: 'timed_out', class: 'stalled' });
  });
});

describe('our own deadline', () => {
  const late = { kind: 'ended by us', doubt: 'deadline' } as const;

  test('speaks against an upstream where another one has answered a later call of the model by then', () => {
    const { judge } = createEndJudge();
    judge(model, 'b', 1_001, { kind: 'none' });
    expect(judge(model, 'a', 1_000, late)).toEqual({ kind: 'timed_out', class: 'failed' });
    expect(judge(model, 'a', 1_001, late)).toEqual(OURS);
  });

  test('says nothing where no other one has, nor where that was another model', () => {
    const { judge } = createEndJudge();
    judge(model, 'a', 2_000, { kind: 'none' });
    judge(model, 'b', 2_000, { kind: 'server_error' });
    judge({ ...model, name: 'other' }, 'b', 2_000, { kind: 'none' });
    expect(judge(model, 'a', 1_000, late)).toEqual(OURS);
  });
});
