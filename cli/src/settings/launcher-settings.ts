import { sharedSettings } from '@lontar/shared/config/settings.ts';
import { z } from 'zod';

/** Settings that `npm start` and `lontar` read besides those of the services. */
export const launcherSettings = z.object({
  LONTAR_HOME: sharedSettings.LONTAR_HOME,
});
