import type { Environment } from '@lontar/shared/config/read-config.ts';

/** The operator's command in messages, before a word of its own. */
const COMMAND = /(?<![\w./-])lontar (?=[a-z])/g;
const START = /(?<![\w./-])npm start\b(?: --)?/g;

/**
 * Names commands as they are typed where the message is read. Messages are written with `lontar keys list` and
 * `npm start`; after `npm start` in a clone the former is `npm run lontar -- keys list`, and in an installed package the
 * latter is `lontar start`. Which it is says `LONTAR_COMMAND`, set by whatever starts the command.
 */
export function nameCommands(text: string, environment: Environment): string {
  const command = typedCommand(environment);
  const named = text.replaceAll(COMMAND, () => `${command} `);
  // Only an installed package starts the service by the same command; containers are started by none of it.
  return /^(?:npm|docker) |^lontar$/.test(command) ? named : named.replaceAll(START, () => `${command} start`);
}

/** How the operator's command is typed here. */
export function typedCommand(environment: Environment): string {
  return environment['LONTAR_COMMAND'] || 'lontar';
}
