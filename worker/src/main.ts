import { runService } from '@lontar/shared/run-service.ts';

await runService(process.env, async () => {
  const [{ workerSettings }, { startWorker }] = await Promise.all([import('./config.ts'), import('./start.ts')]);
  return { name: 'worker', settings: workerSettings, start: startWorker };
});
