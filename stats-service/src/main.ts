import { runService } from '@lontar/shared/run-service.ts';

await runService(process.env, async () => {
  const [config, service] = await Promise.all([import('./config.ts'), import('./stats-service.ts')]);
  const { statsSettings: settings } = config;
  return { name: 'stats-service', settings, start: service.startStatsService };
});
