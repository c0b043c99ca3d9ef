import { withoutSlashesAtEnd } from '@lontar/shared/base-url.ts';
import { type Command, InvalidArgumentError } from 'commander';
import { readEndpoint } from '../../home/endpoint.ts';
import { callableUrl } from '../../processes/ports.ts';
import { SIGN_IN_SECONDS, signInLink } from '../../sessions/sign-in-link.ts';
import { checkSettings } from '../../settings/check-settings.ts';
import { type CommandContext, print } from '../command-context.ts';

/**
 * `lontar dashboard`: a fresh link that signs the operator in.
 *
 * @throws nothing itself; the command rejects when Redis fails
 */
export function addDashboardCommand(program: Command, context: CommandContext): void {
  program
    .command('dashboard')
    .description('print a link that signs you in to the dashboard, once')
    .option('--url <URL>', 'the address under which you reach the gateway, where it is not this machine', httpUrl)
    .action(({ url }: { url?: string }) =>
      context.withRedis(async (redis) => {
        const link = await signInLink(redis, withoutSlashesAtEnd(url ?? gatewayUrl(context)));
        print(context, { url: link, validSeconds: SIGN_IN_SECONDS }, link);
      }),
    );
}

/** The text as it was given: a URL parsed and written again may differ from what the operator copies elsewhere. */
function httpUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isPlain = url !== undefined && /^https?:$/.test(url.protocol) && url.search === '' && url.hash === '';
  if (isPlain && url.username === '' && url.password === '') return text;
  throw new InvalidArgumentError('It must begin with http:// or https://, such as https://llm.example.com');
}

/** The running gateway's address, else the one that the settings say. */
function gatewayUrl({ surroundings }: CommandContext): string {
  const [running] = readEndpoint(surroundings.home)?.baseUrls ?? [];
  if (running !== undefined) return running;
  const { HOST, PORT } = checkSettings(surroundings.environment);
  return callableUrl(HOST, PORT);
}
