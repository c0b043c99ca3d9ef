import type { Environment } from '@lontar/shared/config/read-config.ts';
import type { Surroundings } from '../settings/environment.ts';
import type { Streams } from './command-context.ts';
import { type Commands, runCommand } from './run-command.ts';

/**
 * Every command of `lontar`. A new one is a file beside these and a line here. They are loaded one by one: all together
 * need the better part of the services.
 */
const COMMANDS: Commands = {
  keys: async () => (await import('./commands/keys.ts')).addKeysCommand,
  usage: async () => (await import('./commands/usage.ts')).addUsageCommand,
  ips: async () => (await import('./commands/ips.ts')).addIpsCommand,
  queue: async () => (await import('./commands/queue.ts')).addQueueCommand,
  models: async () => (await import('./commands/models.ts')).addModelsCommand,
  dashboard: async () => (await import('./commands/dashboard.ts')).addDashboardCommand,
  sessions: async () => (await import('./commands/sessions.ts')).addSessionsCommand,
  'admin-tokens': async () => (await import('./commands/admin-tokens.ts')).addAdminTokensCommand,
  audit: async () => (await import('./commands/audit.ts')).addAuditCommand,
  doctor: async () => (await import('./commands/doctor.ts')).addDoctorCommand,
  config: async () => (await import('./commands/config.ts')).addConfigCommand,
  service: async () => (await import('./commands/service.ts')).addServiceCommand,
  mask: async () => (await import('./commands/mask.ts')).addMaskCommand,
  backup: async () => (await import('./commands/backup.ts')).addBackupCommand,
  restore: async () => (await import('./commands/backup.ts')).addRestoreCommand,
};

/**
 * Runs one command of `lontar`.
 *
 * @param args the words after `lontar`
 * @param environment of this process, which says how commands are typed here
 * @returns the exit code
 */
export function runLontar(
  args: readonly string[],
  readSurroundings: () => Surroundings,
  streams: Streams,
  environment: Environment = {},
): Promise<number> {
  return runCommand(COMMANDS, args, readSurroundings, streams, environment);
}
