import type { Command } from 'commander';
import { readEndpoint } from '../../home/endpoint.ts';
import { type DescribedSetting, describeSettings } from '../../settings/describe-settings.ts';
import { alignColumns } from '../columns.ts';
import { type CommandContext, print } from '../command-context.ts';

/** `lontar config print`: every setting, its value and where it comes from; and the ports that are in use. */
export function addConfigCommand(program: Command, context: CommandContext): void {
  program
    .command('config')
    .description('show the settings')
    .command('print')
    .description(
      'all settings of all services, with where each comes from, and the ports in use; secrets are not shown',
    )
    .action(() => {
      const programs = describeSettings(context.surroundings);
      const tables = Object.entries(programs).map(([name, settings]) => `${name}\n${tableOf(settings)}`);
      // What "npm start" chose where a port was taken, or not given, is in no setting.
      const ports = readEndpoint(context.surroundings.home)?.ports;
      if (ports !== undefined) tables.push(`ports in use\n${tableOfPorts(ports)}`);
      print(context, ports === undefined ? programs : { ...programs, 'ports in use': ports }, tables.join('\n\n'));
    });
}

function tableOf(settings: Record<string, DescribedSetting>): string {
  const rows = Object.entries(settings).map(([name, { value, source }]) => [`  ${name}`, source, value ?? '']);
  return alignColumns(rows);
}

function tableOfPorts(ports: Readonly<Record<string, Record<string, string>>>): string {
  const rows = Object.entries(ports).flatMap(([name, settings]) =>
    Object.entries(settings).map(([setting, port]) => [`  ${name}`, setting, port]),
  );
  return alignColumns(rows);
}
