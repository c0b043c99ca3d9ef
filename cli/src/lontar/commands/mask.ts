import { readConfig } from '@lontar/shared/config/read-config.ts';
import { workerSettings } from '@lontar/worker/config.ts';
import { readMaskRules } from '@lontar/worker/mask-rules-file.ts';
// The door to masking that the worker's package opens (`exports`): the same code that masks answers, and nothing else of it.
import { createMasker, type Masker, MaskingBudgetExceeded, type MaskResult } from '@lontar/worker/masking.ts';
import type { Command } from 'commander';
import { CommandFailure, EXIT } from '../../failure/failure.ts';
import { alignColumns } from '../columns.ts';
import { type CommandContext, print } from '../command-context.ts';

/** Explaining holds the whole text; masking alone is a stream, of any length. Characters. */
const MOST_EXPLAINED = 16_000_000;

const maskSettings = workerSettings.pick({ MASK_HOSTS: true, MASK_ALLOW_HOSTS: true, MASK_RULES_FILE: true });

/** Where something was masked and why; never what. */
interface Explanation {
  /** Of the masked text, from 1. */
  readonly line: number;
  readonly column: number;
  readonly type: string;
  readonly rule: string;
  readonly source: string;
}

/** `lontar mask`: masks standard input as answers are masked, and says by which rules. */
export function addMaskCommand(program: Command, context: CommandContext): void {
  program
    .command('mask')
    .usage('[options] < FILE')
    .description('mask standard input like an answer, with MASK_HOSTS, MASK_ALLOW_HOSTS and MASK_RULES_FILE')
    .option(
      '--explain',
      'say of each masked place its line, column, type, rule and source instead of printing the text',
    )
    .action(async ({ explain = false }: { explain?: boolean }) => {
      const { MASK_HOSTS, MASK_ALLOW_HOSTS, MASK_RULES_FILE } = readConfig(
        maskSettings,
        context.surroundings.environment,
      );
      const { shapes, maskHosts, allowHosts, keep } = readMaskRules(MASK_RULES_FILE);
      const masker = createMasker({
        maskHosts: [...MASK_HOSTS, ...maskHosts],
        allowHosts: [...MASK_ALLOW_HOSTS, ...allowHosts],
        shapes,
        keep,
      });
      try {
        if (explain || context.json()) await printWhole(context, masker, explain);
        else
          for await (const piece of piecesOf(context).pipeThrough(masker.createStream()))
            context.streams.out.write(piece);
      } catch (error) {
        if (!(error instanceof MaskingBudgetExceeded)) throw error;
        throw new CommandFailure(
          EXIT.failed,
          'Refused: this text takes more work to mask than a text of its length may.',
        );
      }
    });
}

/** Standard input as text, piece by piece. What is no UTF-8 becomes U+FFFD. */
function piecesOf({ streams }: CommandContext): ReadableStream<string> {
  return ReadableStream.from(streams.in).pipeThrough(new TextDecoderStream());
}

async function printWhole(context: CommandContext, masker: Masker, explain: boolean): Promise<void> {
  const result = masker.mask(await readWhole(context));
  const explanations = explainAll(result);
  if (context.json())
    print(context, explain ? { masked: explanations } : { text: result.text, masked: explanations }, '');
  else if (explanations.length === 0) context.streams.err.write('Nothing is masked.\n');
  else print(context, explanations, tableOf(explanations));
}

/** @throws CommandFailure when there is more than MOST_EXPLAINED */
async function readWhole(context: CommandContext): Promise<string> {
  let text = '';
  for await (const piece of piecesOf(context)) {
    text += piece;
    if (text.length > MOST_EXPLAINED)
      throw new CommandFailure(EXIT.failed, `More than ${MOST_EXPLAINED} characters cannot be explained at once.`);
  }
  return text;
}

/** The places of the spans, counted in one pass: a text may have as many spans as words. */
function explainAll({ text, spans }: MaskResult): Explanation[] {
  let line = 1;
  let lineStart = 0;
  return spans.map(({ type, rule, source, start }) => {
    for (let end = text.indexOf('\n', lineStart); end >= 0 && end < start; end = text.indexOf('\n', lineStart)) {
      line++;
      lineStart = end + 1;
    }
    return { line, column: start - lineStart + 1, type, rule, source };
  });
}

function tableOf(explanations: readonly Explanation[]): string {
  const rows = explanations.map(({ line, column, type, rule, source }) => [`${line}:${column}`, type, rule, source]);
  return alignColumns([['PLACE', 'TYPE', 'RULE', 'SOURCE'], ...rows]);
}
