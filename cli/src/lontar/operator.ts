import { hostname, userInfo } from 'node:os';
import type { Environment } from '@lontar/shared/config/read-config.ts';
import { withoutHidden } from '@lontar/shared/hidden-characters.ts';
import type { Actor } from '@lontar/shared/keys/actor.ts';

const MOST_CHARACTERS = 100;

/**
 * Who runs the operator's command, for the audit log: the user of the machine, by `sudo` the one behind it. It is what
 * the machine says, and no proof.
 */
export function operatorAt(environment: Environment): Actor {
  return { by: 'cli', id: shown(environment['SUDO_USER'] ?? systemUser()), from: shown(hostname()) };
}

/** Containers run as users that have no name. */
function systemUser(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? 'unknown');
  }
}

function shown(text: string): string {
  return withoutHidden(text).slice(0, MOST_CHARACTERS) || 'unknown';
}
