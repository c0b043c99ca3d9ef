import type { Command } from 'commander';
import { type DescribedSetting, describeSettings } from '../../settings/describe-settings.ts';
import { alignColumns } from '../columns.ts';
import { type CommandContext, print } from '../command-context.ts';

/** `lontar config print`: every setting, its value and where it comes from. */
export function addConfigCommand(program: Command, context: CommandContext): void {
  program
    .command('config')
    .description('look at the settings')
    .command('print')
    .description('all settings of all services, with where each comes from; secrets are not shown')
    .action(() => {
      const programs = describeSettings(context.surroundings);
      const tables = Object.entries(programs).map(([name, settings]) => `${name}\n${tableOf(settings)}`);
      print(context, programs, tables.join('\n\n'));
    });
}

function tableOf(settings: Record<string, DescribedSetting>): string {
  const rows = Object.entries(settings).map(([name, { value, source }]) => [`  ${name}`, source, value ?? '']);
  return alignColumns(rows);
}
