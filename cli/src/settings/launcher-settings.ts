import { setting, sharedSettings } from '@lontar/shared/config/settings.ts';
import { z } from 'zod';

/** Settings that `npm start` and `lontar` read besides those of the services. */
export const launcherSettings = z.object({
  LONTAR_HOME: sharedSettings.LONTAR_HOME,
  MODEL_SERVER_PORTS: setting(
    z
      .string()
      .regex(/^\d{1,5},\d{1,5},\d{1,5}$/, 'must be three port numbers with commas between them')
      .default('11434,8000,8080')
      .transform((ports) => ports.split(',').map(Number)),
    {
      about:
        'The ports of this machine at which the first npm start and lontar models init look for Ollama, vLLM and llama.cpp, in this order.',
      example: '11434,8000,8081',
    },
  ),
});
