import { setting } from '@lontar/shared/config/settings.ts';
import { z } from 'zod';

/** Settings that only `npm start` and `lontar` have; the services do not know them. */
export const launcherSettings = z.object({
  LONTAR_HOME: setting(z.string().default('.lontar'), {
    about: 'The folder where npm start keeps secrets, Redis data and logs; from the project folder where not absolute.',
    example: '.lontar',
  }),
});
