import { SERVICE_SECRETS } from '../home/home.ts';
import { readOrMakeSecret } from '../home/secrets.ts';
import { type EverySetting, isGiven } from '../settings/check-settings.ts';
import type { Surroundings } from '../settings/environment.ts';

export interface ChosenSecrets {
  /** What API keys are hashed under. */
  readonly pepper: string;
  /** The secrets that the operator did not give and that are therefore kept in LONTAR_HOME. */
  readonly own: Readonly<Record<string, string>>;
}

/** Takes the operator's secrets where given; makes the others once and keeps them. */
export function chooseSecrets({ environment, home }: Surroundings, settings: EverySetting): ChosenSecrets {
  const own: Record<string, string> = {};
  for (const name of SERVICE_SECRETS) {
    if (!isGiven(environment, name)) own[name] = readOrMakeSecret(home, name);
  }
  return { pepper: own['KEY_PEPPER'] ?? settings.KEY_PEPPER, own };
}
