import type { Rule } from './rule.ts';
import { tokens } from './token-shape.ts';

/** What vendors have issued since 2024, a record for each page of a vendor. */
export const RECENT_TOKENS: readonly Rule[] = [
  // Models and agents.
  ...tokens('https://ai.google.dev/gemini-api/docs/api-key', { 'gemini-auth-key': 'AQ.Ab{url:40}' }),
  ...tokens('https://vercel.com/docs/ai-gateway/authentication-and-byok', {
    'vercel-ai-gateway-key': 'vck_{an48}',
    'vercel-refresh-token': 'vcr_{an48}',
  }),
  ...tokens('https://cursor.com/docs/account/teams/admin-api', {
    'cursor-key': 'key_{hex:64}',
    'cursor-user-key': 'crsr_{hex:64}',
  }),
  ...tokens('https://developers.llamaindex.ai/python/cloud/general/api_key/', { 'llamacloud-key': 'llx-{an48}' }),
  ...tokens('https://docs.mem0.ai/platform/quickstart', { 'mem0-key': 'm0-{an40}' }, true),
  ...tokens(
    'https://modal.com/docs/reference/modal.config',
    {
      'modal-token-secret': 'as-{an22}',
      'modal-token-id': 'ak-{an22}',
    },
    true,
  ),
  ...tokens('https://docs.cartesia.ai/get-started/make-an-api-request', { 'cartesia-key': 'sk_car_{an22}' }),
  ...tokens('https://docs.browser-use.com/cloud/quickstart', { 'browser-use-key': 'bu_{url:43}' }, true),
  ...tokens('https://docs.browserbase.com/reference/api/overview', { 'browserbase-key': 'bb_live_{url:27}' }),
  ...tokens('https://docs.steel.dev/overview/intro-to-steel', { 'steel-key': 'ste-{an64}' }, true),
  ...tokens('https://ampcode.com/manual', { 'amp-key': 'sgamp_user_{w:40}' }),
  ...tokens('https://scrapfly.io/docs/scrape-api/getting-started', { 'scrapfly-key': 'scp-live-{hex:32}' }),
  // Clouds, builds and data.
  ...tokens('https://developers.cloudflare.com/fundamentals/api/get-started/token-formats/', {
    'cloudflare-global-key': 'cfk_{an40}',
  }),
  ...tokens('https://buildkite.com/docs/platform/security/tokens', {
    'buildkite-agent-session-token': 'bkaa_{an75}',
    'buildkite-job-token': 'bkaj_{an75}',
    'buildkite-job-acquisition-token': 'bkjat_{an40}',
  }),
  ...tokens('https://docs.netlify.com/api/get-started/', {
    'netlify-cli-token': 'nfc_{an36}',
    'netlify-oauth-token': 'nfo_{an36}',
    'netlify-user-token': 'nfu_{an36}',
    'netlify-build-token': 'nfb_{an36}',
  }),
  ...tokens('https://render.com/docs/api', { 'render-key': 'rnd_{an28}' }),
  ...tokens('https://depot.dev/docs/cli/authentication', { 'depot-organization-token': 'depot_org_{hex:64}' }),
  ...tokens('https://www.elastic.co/docs/deploy-manage/api-keys/elastic-cloud-api-keys', {
    'elastic-cloud-key': 'essu_{b64:60}',
  }),
  // Datadog's own pages name no form; Amazon's do, for its rotation.
  ...tokens('https://docs.aws.amazon.com/secretsmanager/latest/userguide/mes-partner-DatadogApplicationKey.html', {
    'datadog-application-key': 'ddapp_{an34}',
  }),
  ...tokens('https://axiom.co/docs/reference/tokens', {
    'axiom-api-token': 'xaat-{hex:8}-{hex:4}-{hex:4}-{hex:4}-{hex:12}',
    'axiom-personal-token': 'xapt-{hex:8}-{hex:4}-{hex:4}-{hex:4}-{hex:12}',
  }),
  ...tokens('https://www.checklyhq.com/docs/integrations/api-keys/', { 'checkly-user-key': 'cu_{hex:32}' }, true),
  ...tokens('https://xata.io/docs/concepts/api-keys', { 'xata-key': 'xau_{an32}' }),
  ...tokens('https://docs.netbird.io/how-to/access-netbird-public-api', { 'netbird-token': 'nbp_{an36}' }),
  ...tokens('https://appwrite.io/docs/advanced/platform/api-keys', { 'appwrite-key': 'standard_{hex:256}' }, true),
  ...tokens('https://docs.socket.dev/docs/api-keys', { 'socket-token': 'sktsec_{w:44}' }),
  // Payments, sign-in, messages and jobs.
  ...tokens('https://polar.sh/docs/integrate/oat', {
    'polar-organization-token': 'polar_oat_{url:43}',
    'polar-personal-token': 'polar_pat_{url:43}',
    'polar-webhook-secret': 'polar_whs_{url:43}',
  }),
  ...tokens('https://stytch.com/docs/workspace-management/api-keys', {
    'stytch-live-secret': 'secret-live-{url:36}',
    'stytch-test-secret': 'secret-test-{url:36}',
  }),
  ...tokens('https://www.inngest.com/docs/platform/signing-keys', {
    'inngest-signing-key': 'signkey-prod-{hex:64}',
    'inngest-test-signing-key': 'signkey-test-{hex:64}',
  }),
  ...tokens('https://trigger.dev/docs/apikeys', {
    'trigger-production-key': 'tr_prod_{an20}',
    'trigger-staging-key': 'tr_stg_{an20}',
    'trigger-development-key': 'tr_dev_{an20}',
    'trigger-personal-token': 'tr_pat_{lo:40}',
  }),
  ...tokens('https://www.unkey.com/docs/security/root-keys', { 'unkey-root-key': 'unkey_{an22}' }),
  ...tokens('https://cal.com/docs/api-reference/v1/introduction', { 'cal-key': 'cal_live_{hex:32}' }),
  ...tokens('https://dub.co/docs/api-reference/tokens', { 'dub-key': 'dub_{an24}' }, true),
  ...tokens('https://www.plain.com/docs/graphql/authentication', { 'plain-key': 'plainApiKey_{w:40}' }),
];
