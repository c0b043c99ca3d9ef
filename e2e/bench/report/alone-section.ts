import type { Results } from '../results.ts';

/** Writes a table of head and rows. */
export type Table = (head: readonly string[], rows: readonly (readonly string[])[]) => string;

/** What was measured without load from elsewhere. */
export function aloneSection(table: Table, { alone }: Results): string[] {
  if (alone === undefined) return ['Not measured in this run.'];
  return [
    table(
      ['what', 'measured'],
      [
        ['a script that does nothing, with as many arguments', `${alone.emptyScriptMicros.toFixed(1)} µs`],
        ['admission, time in Redis (`INFO commandstats`)', `${alone.admissionMicros.toFixed(1)} µs`],
        ['admission with every limit, time in Redis', `${alone.limitedAdmissionMicros.toFixed(1)} µs`],
        ['settlement of 2 KB, time in Redis (`INFO commandstats`)', `${alone.settlementMicros.toFixed(1)} µs`],
        ['masking', `${alone.maskingMegabytesPerSecond.toFixed(1)} MB/s`],
        ["masking, times secretlint's recommended rules", `${alone.maskingRatio.toFixed(1)} ×`],
      ],
    ),
  ];
}
