import { expect, test } from '@jest/globals';
import { nameCommands, typedCommand } from './typed-command.ts';

const MESSAGE = 'Start it with "npm start -- --workers 2", then: lontar keys list (in lontar.backup, /opt/lontar x)';

test.each([
  ['lontar', MESSAGE],
  ['npm run lontar --', MESSAGE.replace('lontar keys', 'npm run lontar -- keys')],
  [
    './.lontar/lontar',
    MESSAGE.replace('lontar keys', './.lontar/lontar keys').replace('npm start --', './.lontar/lontar start'),
  ],
  ['docker compose exec $& lontar', MESSAGE.replace('lontar keys', () => 'docker compose exec $& lontar keys')],
])('where the command is typed as %s', (command, expected) => {
  expect(nameCommands(MESSAGE, { LONTAR_COMMAND: command })).toBe(expected);
});

test('is lontar where nothing says otherwise', () => {
  expect(typedCommand({})).toBe('lontar');
});
