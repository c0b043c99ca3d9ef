import type { Results } from '../results.ts';
import type { Table } from './alone-section.ts';

/** Streams of `/v1`, beside those of the upstream itself. */
export function streamsSection(table: Table, { streams }: Results): string[] {
  if (streams === undefined) return ['Not measured in this run.'];
  const { first, wall, many, saturated, liteLlm } = streams;
  const both = (one: number, other: number) => `${one.toFixed(0)} and ${other.toFixed(0)}`;
  const cpu = Object.entries(saturated.cpuMicros).map(([name, micros]) => `${name} ${micros.toFixed(1)}`);
  return [
    'Streams over `/v1/chat/completions`, by turns with the upstream itself; two workers and one gateway, on the same cores as upstream and readers.',
    table(
      ['what', 'measured'],
      [
        ['first text of one stream, upstream itself', `${first.direct.toFixed(1)} ms`],
        ['added by the service, p50 and p99', `${first.addedP50.toFixed(1)} and ${first.addedP99.toFixed(1)} ms`],
        [
          'of it beside the wait for the end of the first word, which masking needs',
          `${first.besideWordP50.toFixed(1)} and ${first.besideWordP99.toFixed(1)} ms`,
        ],
        [
          'a stream of 500 tokens, times the upstream',
          `${wall.share.toFixed(3)} × of ${(wall.direct / 1e3).toFixed(1)} s`,
        ],
        [`${many.streams} streams at once of 20 tokens/s: whole and in order`, String(many.whole)],
        ['from the upstream to the client, p50 and p99', `${both(many.gapP50, many.gapP99)} ms`],
        [
          'of it beside the wait for the end of a word, which masking needs',
          `${both(many.besideWordP50, many.besideWordP99)} ms`,
        ],
        ['the same of streams that are read from the upstream itself', `${both(many.directP50, many.directP99)} ms`],
        ['Redis commands a second', many.commandsPerSecond.toFixed(0)],
        ['bytes of these commands, times the text of that time', many.bytesTimesText.toFixed(2)],
        ['bytes to Redis of a whole request, and of its text', both(many.bytesOfStream, many.textOfStream)],
        [
          'growth of the gateway for each beyond the first tenth, and for each from none',
          `${(many.gatewayBytes / 1024).toFixed(1)} and ${(many.gatewayBytesFromNone / 1024).toFixed(1)} KB`,
        ],
        ['20 streams without a pause', `${saturated.tokensPerSecond.toFixed(0)} tokens/s`],
        [
          'the same by LiteLLM as a proxy, unmasked',
          liteLlm
            ? `${liteLlm.tokensPerSecond.toFixed(0)} tokens/s, first text after ${liteLlm.firstMs.toFixed(0)} ms, ${liteLlm.cpuMicros.toFixed(0)} µs a token`
            : 'not measured: it could not be installed',
        ],
        ['processor time of a token, µs', cpu.join(', ')],
      ],
    ),
    'A word is shown when the token behind it has come, because letters alone may still become the name of a host or a login. The first word of this text, `The`, is one of those that are shown at once, see masking.md; an answer that begins with another word begins one token later.',
  ];
}
