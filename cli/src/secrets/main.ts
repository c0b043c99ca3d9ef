import { text } from 'node:stream/consumers';
import { makeMissingSecrets, SETTABLE_SECRETS, setSecret, type Topology, UnknownSecret } from './container-secrets.ts';

/** Where docker-compose.yml mounts the secrets of all containers, for this program alone. */
const ROOT = process.env['SECRETS_DIR'] || '/secrets';
const USAGE = `usage: secrets make          make the secrets that are missing
       secrets make sentinels     and those of a Redis of several that Sentinels watch, from now on
       secrets make single        make Redis a single one again
       secrets set NAME      set one; its value is read from standard input
NAME is one of ${SETTABLE_SECRETS.join(', ')}.`;

try {
  const [command, name] = process.argv.slice(2);
  if (command === 'make' && (name === undefined || topologyNamed(name))) {
    const made = makeMissingSecrets(ROOT, topologyNamed(name));
    console.error(made.length === 0 ? 'All secrets are there.' : `Made: ${made.join(', ')}.`);
  } else if (command === 'set' && name !== undefined) {
    makeMissingSecrets(ROOT);
    if (process.stdin.isTTY) console.error(`Value of ${name}, then Enter and Ctrl-D:`);
    setSecret(ROOT, name, await text(process.stdin));
    console.error(`Set ${name}. Restart the services that read it.`);
  } else {
    console.error(USAGE);
    process.exitCode = 2;
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = error instanceof UnknownSecret ? 2 : 1;
}

function topologyNamed(name: string | undefined): Topology | undefined {
  return name === 'single' || name === 'sentinels' ? name : undefined;
}
