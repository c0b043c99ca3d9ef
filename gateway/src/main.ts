import { boundYoungGeneration } from '@lontar/shared/patches/young-generation.ts';
import { runService } from '@lontar/shared/run-service.ts';

/** Measured: what is smaller costs each request processor time, because answers in work then count as old. */
const YOUNG_GENERATION_HALF_MB = 16;

await runService(process.env, async () => {
  // First, because what is loaded would let it grow.
  boundYoungGeneration(YOUNG_GENERATION_HALF_MB);
  const [{ gatewaySettings }, { startGateway }] = await Promise.all([import('./config.ts'), import('./start.ts')]);
  return { name: 'gateway', settings: gatewaySettings, start: startGateway };
});
