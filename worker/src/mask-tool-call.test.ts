import { describe, expect, test } from '@jest/globals';
import { ArgumentsBroken, maskToolCall } from './mask-tool-call.ts';
import { createMasker, type Masker } from './masking/mask.ts';

const masker = createMasker();
const TOKEN = ['ghp', 'A1b2C3d4E5F6'.repeat(3)].join('_');

function masked(json: string, over: Partial<Masker> = {}, id = 'call_9f') {
  const steps = maskToolCall({ ...masker, ...over }, { id, name: 'run', arguments: json });
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

describe('a tool call', () => {
  test('has its arguments masked, and they are JSON still', () => {
    const { call, counts } = masked(JSON.stringify({ command: `git clone https://${TOKEN}@git.internal/x`, at: 1.0 }));
    expect(JSON.parse(call.arguments)).toMatchObject({ command: expect.stringContaining('***') });
    expect(call.arguments).not.toContain(TOKEN.slice(0, 12));
    expect(counts.key + counts.url).toBeGreaterThan(0);
  });

  test('whose masking would run over the end of a string is masked string by string, numbers as they are', () => {
    // A value that is told by its name, before an escaped quote.
    const command = 'quoted masterauth ⟪!x7Kq2-Lm9w⟫';
    const json = `{"n":12345678901234567890,"content":${JSON.stringify(`line\n"${command}"`)},"password":"hunter2xK"}`;
    const { call } = masked(json, {
      *maskInSlices(text) {
        yield;
        // As a rule that takes all to the end of the line with it, the escape included.
        const at = text.indexOf('⟪!');
        const end = text.startsWith('{') ? text.indexOf('\\""') + 1 : text.indexOf('⟫') + 1;
        if (at < 0 || end <= at) return masker.mask(text);
        return { ...masker.mask(text), text: `${text.slice(0, at)}***API_KEY***${text.slice(end)}` };
      },
    });
    expect(call.arguments).toBe(
      '{"n":12345678901234567890,"content":"line\\n\\"quoted masterauth ***API_KEY***\\"","password":"***API_KEY***"}',
    );
  });

  test('that cannot be masked and stay JSON is refused: a tool must get no other arguments than the model wrote', () => {
    const breaks: Partial<Masker> = {
      *maskInSlices(text) {
        yield;
        return { text: text.replaceAll(/[{}]/g, ''), spans: [] };
      },
    };
    expect(() => masked(`{"a":"${TOKEN}"}`, breaks)).toThrow(ArgumentsBroken);
  });

  test('whose arguments are no JSON has them masked all the same: that is the mistake of the model', () => {
    expect(masked(`{"a": "${TOKEN}`).call.arguments).toBe('{"a": "***API_KEY***');
  });

  test('keeps the id of the upstream, and gets one of ours where that would be masked', () => {
    expect(masked('{}').call.id).toBe('call_9f');
    expect(masked('{}', {}, TOKEN).call.id).toMatch(/^call_[0-9a-f]{24}$/);
  });
});
