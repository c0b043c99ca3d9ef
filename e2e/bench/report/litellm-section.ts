import type { Results, ThroughputRow } from '../results.ts';

/**
 * Plain requests beside LiteLLM's proxy.
 *
 * @param table of rows of throughput
 */
export function liteLlmSection(
  table: (rows: readonly ThroughputRow[]) => string,
  { besideLiteLlm }: Results,
): string[] {
  if (besideLiteLlm === undefined) return [];
  const { madeAt, version, loadBefore, rows } = besideLiteLlm;
  return [
    '### Beside LiteLLM, answers of 2 KB, at once',
    `${version} in one process, as its documentation starts it: a key that is checked, no database, no limits, no masking. ` +
      `Measured on ${madeAt.slice(0, 10)} on the same machine, at a load of ${loadBefore.toFixed(0)} before the run, in a run of its own (\`npm run bench -- --only=litellm\`), in which ` +
      'all four took turns: these rows are to be compared with each other, not with those above.',
    table(rows),
  ];
}

const count = (perSecond: number) => Math.round(perSecond).toLocaleString('en-US');

/** The same in a sentence, for readers who skip tables. */
export function liteLlmSentence({ besideLiteLlm }: Results): string {
  const rows = besideLiteLlm?.rows.filter(({ connections }) => connections === 100) ?? [];
  const [ours, theirs] = ['v1', 'litellm'].map((name) => rows.find(({ contender }) => contender === name));
  if (ours === undefined || theirs === undefined)
    return 'LiteLLM could not be installed for this run; performance-notes.md compares streams with it.';
  const times = ours.perSecond / theirs.perSecond;
  return (
    `LiteLLM's proxy, without limits or masking, answers ${count(theirs.perSecond)} requests a second over 100 connections; ` +
    `Lontar answers ${count(ours.perSecond)} over \`/v1\`, ${times.toFixed(times < 10 ? 1 : 0)} times as many ([its rows](#beside-litellm-answers-of-2-kb-at-once)).`
  );
}
