import type { Command } from 'commander';
import { checkMachine } from '../../doctor/check-machine.ts';
import { checkRedis } from '../../doctor/check-redis.ts';
import { type Finding, failed, ok } from '../../doctor/finding.ts';
import { CommandFailure, EXIT } from '../../failure/failure.ts';
import { RedisUnreachable } from '../../failure/redis-unreachable.ts';
import { alignColumns } from '../columns.ts';
import { type CommandContext, print } from '../command-context.ts';

const MARKS = { ok: 'ok', warning: 'WARNING', failed: 'FAILED' } as const;

/** `lontar doctor`: looks at everything that commonly goes wrong. */
export function addDoctorCommand(program: Command, context: CommandContext): void {
  program
    .command('doctor')
    .description('check this machine, the settings, Redis and the running services')
    .action(async () => {
      const machine = checkMachine(context.surroundings, process.versions.node);
      const { findings, reachable } = await askRedis(context);
      const all = [...machine, ...findings];
      const healthy = all.every(({ status }) => status !== 'failed');
      const table = alignColumns(all.map(({ check, status, detail }) => [MARKS[status], check, detail]));
      print(context, { ok: healthy, checks: all }, table);
      if (!reachable) throw new CommandFailure(EXIT.redisUnreachable, 'Redis cannot be reached.');
      if (!healthy) throw new CommandFailure(EXIT.failed, 'Something is wrong; see above.');
    });
}

async function askRedis(context: CommandContext): Promise<{ findings: Finding[]; reachable: boolean }> {
  try {
    const findings = await context.withRedis(checkRedis);
    return { findings: [ok('redis', 'Redis answers.'), ...findings], reachable: true };
  } catch (error) {
    const isAway = error instanceof RedisUnreachable || error instanceof CommandFailure;
    return { findings: [failed('redis', error instanceof Error ? error.message : String(error))], reachable: !isAway };
  }
}
