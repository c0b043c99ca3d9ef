import type { Rule } from './rule.ts';
import { tokens } from './token-shape.ts';

const AWS_IDS = 'https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_identifiers.html';

/** Clouds, hosting, databases as a service, networks, observability. */
export const CLOUD_TOKENS: readonly Rule[] = [
  ...tokens(
    AWS_IDS,
    {
      'aws-access-key': 'AKIA{up:16}',
      'aws-session-key': 'ASIA{up:16}',
      'aws-bearer-key': 'ABIA{up:16}',
      'aws-context-key': 'ACCA{up:16}',
      'aws-user-key': 'A3T{up:17}',
    },
    ['aws-access-key', 'aws-session-key', 'aws-bearer-key', 'aws-context-key', 'aws-user-key'],
  ),
  ...tokens('https://docs.aws.amazon.com/bedrock/latest/userguide/api-keys.html', {
    'bedrock-long-key': 'ABSK{b64:100}',
    'bedrock-short-key': 'bedrock-api-key-{b64:60}',
  }),
  ...tokens('https://cloud.google.com/docs/authentication/api-keys', { 'google-api-key': 'AIza{url:35}' }),
  ...tokens('https://developers.google.com/identity/protocols/oauth2', {
    'google-oauth-secret': 'GOCSPX-{url:28}',
    'google-access-token': 'ya29.{dot:60}',
    'google-refresh-token': '1//0{url:60}',
  }),
  ...tokens('https://cloud.google.com/storage/docs/authentication/hmackeys', { 'google-hmac-key': 'GOOG1E{up:55}' }),
  ...tokens(
    'https://www.alibabacloud.com/help/en/ram/user-guide/create-an-accesskey-pair',
    { 'alibaba-access-key': 'LTAI{an17}' },
    true,
  ),
  ...tokens('https://www.tencentcloud.com/document/product/598/32675', { 'tencent-secret-id': 'AKID{an32}' }, true),
  ...tokens(
    'https://yandex.cloud/en/docs/iam/concepts/authorization/',
    {
      'yandex-api-key': 'AQVN{url:35}',
      'yandex-iam-token': 't1.{url:60}.{url:86}',
      'yandex-static-key': 'YC{url:38}',
      'yandex-oauth-token': 'y0_{url:50}',
    },
    ['yandex-static-key', 'yandex-oauth-token', 'yandex-iam-token'],
  ),
  ...tokens('https://docs.digitalocean.com/reference/api/create-personal-access-token/', {
    'digitalocean-personal-token': 'dop_v1_{hex:64}',
    'digitalocean-oauth-token': 'doo_v1_{hex:64}',
    'digitalocean-refresh-token': 'dor_v1_{hex:64}',
  }),
  ...tokens('https://devcenter.heroku.com/articles/authentication', {
    'heroku-key': 'HRKU-AA{url:58}',
    'heroku-legacy-key': 'HRKU-{url:36}',
  }),
  ...tokens('https://fly.io/docs/security/tokens/', {
    'fly-token': 'fo1_{url:43}',
    'fly-macaroon': 'fm1r_{b64:100}',
    'fly-macaroon-discharge': 'fm1a_{b64:100}',
    'fly-macaroon-v2': 'fm2_{b64:100}',
  }),
  ...tokens('https://developers.cloudflare.com/fundamentals/api/get-started/ca-keys/', {
    'cloudflare-origin-ca-key': 'v1.0-{hex:24}-{hex:146}',
  }),
  ...tokens('https://developers.cloudflare.com/fundamentals/api/get-started/create-token/', {
    'cloudflare-user-token': 'cfut_{w:40}',
    'cloudflare-account-token': 'cfat_{w:40}',
  }),
  ...tokens('https://docs.netlify.com/api/get-started/', { 'netlify-token': 'nfp_{an36}' }),
  ...tokens('https://vercel.com/docs/rest-api', {
    'vercel-blob-token': 'vercel_blob_rw_{w:40}',
    'vercel-token': 'vcp_{an50}',
    'vercel-integration-token': 'vci_{an50}',
    'vercel-app-token': 'vca_{an50}',
  }),
  ...tokens('https://supabase.com/docs/guides/api/api-keys', {
    'supabase-token': 'sbp_{hex:40}',
    'supabase-secret-key': 'sb_secret_{url:30}',
  }),
  ...tokens('https://planetscale.com/docs/api/reference/service-tokens', {
    'planetscale-token': 'pscale_tkn_{dot:43}',
    'planetscale-oauth-token': 'pscale_oauth_{dot:43}',
    'planetscale-password': 'pscale_pw_{dot:43}',
    'planetscale-api-token': 'pscale_api_{dot:43}',
  }),
  ...tokens('https://neon.com/docs/manage/api-keys', { 'neon-key': 'napi_{lo:64}', 'neon-password': 'npg_{an12}' }),
  ...tokens(
    'https://docs.databricks.com/aws/en/dev-tools/auth/pat',
    {
      'databricks-token': 'dapi{hex:32}',
      'databricks-oauth-secret': 'dose{hex:32}',
      'databricks-sql-token': 'dkea{hex:32}',
    },
    true,
  ),
  ...tokens('https://clickhouse.com/docs/cloud/manage/openapi', { 'clickhouse-cloud-secret': '4b1d{an38}' }, true),
  ...tokens('https://www.mongodb.com/docs/atlas/configure-api-access/', {
    'mongodb-service-secret': 'mdb_sa_sk_{url:40}',
  }),
  ...tokens(
    'https://docs.confluent.io/cloud/current/security/authenticate/workload-identities/service-accounts/api-keys/overview.html',
    { 'confluent-secret': 'cflt{b64:60}' },
    true,
  ),
  ...tokens('https://ngrok.com/docs/api/', { 'ngrok-key': 'ngrok_{an40}' }, true),
  ...tokens('https://docs.scalingo.com/platform/user-management/api-tokens', { 'scalingo-token': 'tk-us-{url:48}' }),
  ...tokens('https://techdocs.akamai.com/cloud-computing/docs/manage-personal-access-tokens', {
    'linode-token': 'lin_pat_{hex:64}',
  }),
  ...tokens('https://docs.defined.net/guides/automating-host-creation/', {
    'defined-networking-token': 'dnkey-{url:26}-{url:52}',
  }),
  ...tokens('https://tailscale.com/kb/1215/oauth-clients', { 'tailscale-key': 'tskey-{dot:30}' }),
  ...tokens('https://docs.doppler.com/reference/auth-token-formats', {
    'doppler-personal-token': 'dp.pt.{an43}',
    'doppler-cli-token': 'dp.ct.{an43}',
    'doppler-service-token': 'dp.st.{dot:43}',
    'doppler-account-token': 'dp.sa.{an43}',
    'doppler-scim-token': 'dp.scim.{an43}',
    'doppler-audit-token': 'dp.audit.{an43}',
  }),
  ...tokens('https://developer.1password.com/docs/service-accounts/', {
    '1password-service-token': 'ops_eyJ{b64:250}',
  }),
  ...tokens('https://support.1password.com/secret-key-security/', {
    '1password-secret-key': 'A3-{up:6}-{up:6}-{up:5}-{up:5}-{up:5}-{up:5}',
  }),
  ...tokens('https://age-encryption.org/v1', {
    'age-secret-key': 'AGE-SECRET-KEY-1{up:58}',
    'age-plugin-key': 'AGE-PLUGIN-{up:20}-1{up:40}',
  }),
  ...tokens('https://docs.docker.com/engine/swarm/swarm-mode/', {
    'swarm-join-token': 'SWMTKN-1-{lo:50}-{lo:25}',
    'swarm-unlock-key': 'SWMKEY-1-{b64:43}',
  }),
  ...tokens('https://grafana.com/docs/grafana/latest/administration/service-accounts/', {
    'grafana-service-token': 'glsa_{an32}_{hex:8}',
    'grafana-cloud-token': 'glc_{b64:60}',
    'grafana-api-key': 'eyJrIjoi{b64:70}',
  }),
  ...tokens('https://docs.newrelic.com/docs/apis/intro-apis/new-relic-api-keys/', {
    'new-relic-user-key': 'NRAK-{up:27}',
    'new-relic-insert-key': 'NRII-{url:32}',
    'new-relic-query-key': 'NRIQ-{url:32}',
    'new-relic-browser-key': 'NRJS-{hex:19}',
    'new-relic-mobile-key': 'NRMA-{hex:19}',
    'new-relic-admin-key': 'NRAA-{hex:27}',
    'new-relic-license-key': 'NRAL-{hex:36}',
  }),
  ...tokens('https://docs.dynatrace.com/docs/manage/identity-access-management/access-tokens-and-oauth-clients', {
    'dynatrace-token': 'dt0c01.{up:24}.{up:64}',
    'dynatrace-platform-token': 'dt0s16.{up:8}.{up:64}',
    'dynatrace-oauth-secret': 'dt0s02.{up:8}.{up:64}',
  }),
  ...tokens('https://docs.honeycomb.io/configure/environments/manage-api-keys/', {
    'honeycomb-key': 'hcaik_{lo:58}',
    'honeycomb-configuration-key': 'hcxik_{lo:58}',
    'honeycomb-management-key': 'hcamk_{lo:58}',
  }),
  ...tokens('https://logfire.pydantic.dev/docs/', { 'logfire-token': 'pylf_v1_{w:46}' }),
  ...tokens(
    'https://launchdarkly.com/docs/home/account/api',
    {
      'launchdarkly-api-key': 'api-{hex:8}-{hex:4}-{hex:4}-{hex:4}-{hex:12}',
      'launchdarkly-sdk-key': 'sdk-{hex:8}-{hex:4}-{hex:4}-{hex:4}-{hex:12}',
    },
    true,
  ),
  ...tokens('https://posthog.com/docs/api', {
    'posthog-personal-key': 'phx_{an43}',
  }),
  ...tokens('https://www.authress.io/knowledge-base/docs/authorization/service-clients', {
    'authress-service-key': 'sc_{lo:10}.{lo:5}.acc-{lo:10}.{url:40}',
    'authress-external-key': 'ext_{lo:10}.{lo:5}.acc-{lo:10}.{url:40}',
    'authress-auth-key': 'scauth_{lo:10}.{lo:5}.acc-{lo:10}.{url:40}',
    'authress-account-key': 'authress_{lo:10}.{lo:5}.acc-{lo:10}.{url:40}',
  }),
  ...tokens('https://docs.endorlabs.com/', { 'endor-key': 'endr+{url:16}' }),
  ...tokens('https://docs.runpod.io/get-started/api-keys', { 'runpod-key': 'rpa_{an45}' }, true),
];
