import { runService } from '@lontar/shared/run-service.ts';

await runService(process.env, async () => {
  const [{ gatewaySettings }, { startGateway }] = await Promise.all([import('./config.ts'), import('./start.ts')]);
  return { name: 'gateway', settings: gatewaySettings, start: startGateway };
});
