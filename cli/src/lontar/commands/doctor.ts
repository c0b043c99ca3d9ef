import { settingDigests } from '@lontar/shared/config/setting-digests.ts';
import { readRecentOutcomes } from '@lontar/shared/moments.ts';
import type { Command } from 'commander';
import { ANSWER_POINTS, checkAnswers } from '../../doctor/check-answers.ts';
import { checkFleet, type FleetReading, readFleet } from '../../doctor/check-fleet.ts';
import { type AskedGateway, checkHealth } from '../../doctor/check-health.ts';
import { checkMachine } from '../../doctor/check-machine.ts';
import { checkModelsFile } from '../../doctor/check-models.ts';
import { checkRedis } from '../../doctor/check-redis.ts';
import { type Finding, failed, ok } from '../../doctor/finding.ts';
import { probeRoutes } from '../../doctor/probe-routes.ts';
import { CommandFailure, EXIT } from '../../failure/failure.ts';
import { RedisUnreachable } from '../../failure/redis-unreachable.ts';
import { readEndpoint } from '../../home/endpoint.ts';
import { callableUrl } from '../../processes/ports.ts';
import { checkSettings } from '../../settings/check-settings.ts';
import { SERVICE_SETTINGS } from '../../settings/services.ts';
import { alignColumns } from '../columns.ts';
import { type CommandContext, print } from '../command-context.ts';

const MARKS = { ok: 'ok', warning: 'WARNING', failed: 'FAILED' } as const;

/** `lontar doctor`: looks at everything that commonly goes wrong. */
export function addDoctorCommand(program: Command, context: CommandContext): void {
  program
    .command('doctor')
    .description('check this machine, Redis and the running services; exits with 1 if callers would get no answer')
    .option('--probe', 'also make one tiny call over each route; your upstream charges for it')
    .action(async ({ probe = false }: { probe?: boolean }) => {
      const machine = [
        ...checkMachine(context.surroundings, process.versions.node),
        ...(await checkModelsFile(context.surroundings)),
        ...(probe ? await probeRoutes(context.surroundings) : []),
      ];
      const { findings, reachable } = await askRedis(context);
      const all = [...machine, ...findings];
      const healthy = all.every(({ status }) => status !== 'failed');
      const table = alignColumns(all.map(({ check, status, detail }) => [MARKS[status], check, detail]));
      print(context, { ok: healthy, checks: all }, context.typed(table));
      if (!reachable) throw new CommandFailure(EXIT.redisUnreachable, 'Redis cannot be reached.');
      if (!healthy) throw new CommandFailure(EXIT.failed, 'Something is wrong; see above.');
    });
}

async function askRedis(context: CommandContext): Promise<{ findings: Finding[]; reachable: boolean }> {
  try {
    const settings = ownSettings(context);
    const findings = await context.withRedis(async (redis, target) => {
      const { longestJobMs, digests } = settings;
      const fleet = { ...(await readFleet(redis)), longestJobMs, ...(digests && { ownSettings: digests }) };
      const answers = checkAnswers(await readRecentOutcomes(redis, fleet.now, ANSWER_POINTS));
      return [...(await checkRedis(redis, target)), ...checkFleet(fleet), answers];
    });
    findings.push(...(await Promise.all(gatewaysOf(context, settings).map(checkHealth))));
    return { findings: [ok('redis', 'Redis answers.'), ...findings], reachable: true };
  } catch (error) {
    const isAway = error instanceof RedisUnreachable || error instanceof CommandFailure;
    return { findings: [failed('redis', error instanceof Error ? error.message : String(error))], reachable: !isAway };
  }
}

interface OwnSettings {
  readonly longestJobMs: number;
  readonly digests?: FleetReading['ownSettings'];
  readonly gateway?: string;
}

/** What this shell is set to; where that is not valid another check says so, and nothing is compared. */
function ownSettings({ surroundings }: CommandContext): OwnSettings {
  try {
    const settings = checkSettings(surroundings.environment);
    const digests = {
      gateway: settingDigests(SERVICE_SETTINGS.gateway, settings),
      worker: settingDigests(SERVICE_SETTINGS.worker, settings),
    };
    return { longestJobMs: settings.REQUEST_TIMEOUT_MS, digests, gateway: callableUrl(settings.HOST, settings.PORT) };
  } catch {
    return { longestJobMs: 120_000 };
  }
}

function gatewaysOf({ surroundings }: CommandContext, { gateway }: OwnSettings): AskedGateway[] {
  const { baseUrls = [] } = surroundings.environment['REDIS_URL'] ? {} : (readEndpoint(surroundings.home) ?? {});
  if (baseUrls.length > 0) return baseUrls.map((url) => ({ url, isKnown: true }));
  return gateway === undefined ? [] : [{ url: gateway, isKnown: false }];
}
