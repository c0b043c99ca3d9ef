import type { Rule } from './rule.ts';
import { tokens } from './token-shape.ts';

/** Payments, messaging, mail, commerce, office and productivity services. */
export const SERVICE_TOKENS: readonly Rule[] = [
  // Callers paste their own keys into prompts, and models repeat them.
  ...tokens('api.md#keys', {
    'lontar-key': 'lt_live_{an10}_{an38}',
    'lontar-admin-token': 'lt_admin_{an10}_{an38}',
  }),
  ...tokens('https://docs.stripe.com/keys', {
    'stripe-secret-live': 'sk_live_{an24}',
    'stripe-secret-test': 'sk_test_{an24}',
    'stripe-restricted-live': 'rk_live_{an24}',
    'stripe-restricted-test': 'rk_test_{an24}',
    'stripe-production-secret': 'sk_prod_{an24}',
    'stripe-production-restricted': 'rk_prod_{an24}',
    'stripe-organisation-key': 'sk_org_{an24}',
    'stripe-webhook-secret': 'whsec_{b64:32}',
  }),
  ...tokens('https://docs.slack.dev/authentication/tokens', {
    'slack-bot-token': 'xoxb-{d10}-{url:30}',
    'slack-user-token': 'xoxp-{d10}-{url:40}',
    'slack-legacy-token': 'xoxs-{d10}-{url:20}',
    'slack-legacy-workspace-token': 'xoxa-{url:20}',
    'slack-legacy-refresh-token': 'xoxr-{url:20}',
    'slack-legacy-client-token': 'xoxo-{url:20}',
    'slack-cookie': 'xoxd-{url:40}',
    'slack-client-token': 'xoxc-{d10}-{url:30}',
    'slack-configuration-token': 'xoxe.{dot:60}',
    'slack-configuration-refresh-token': 'xoxe-{url:60}',
    'slack-app-token': 'xapp-{url:60}',
    'slack-workflow-token': 'xwfp-{url:40}',
  }),
  ...tokens('https://shopify.dev/docs/apps/build/authentication-authorization', {
    'shopify-admin-token': 'shpat_{hex:32}',
    'shopify-custom-token': 'shpca_{hex:32}',
    'shopify-private-token': 'shppa_{hex:32}',
    'shopify-shared-secret': 'shpss_{hex:32}',
    'shopify-user-token': 'shpua_{hex:32}',
    'shopify-refresh-token': 'shprt_{hex:32}',
    'shopify-theme-password': 'shptka_{hex:32}',
    'shopify-partner-token': 'prtapi_{hex:32}',
  }),
  ...tokens('https://www.twilio.com/docs/iam/api-keys', { 'twilio-api-key': 'SK{hex:32}' }, true),
  ...tokens('https://www.twilio.com/docs/sendgrid/ui/account-and-settings/api-keys', {
    'sendgrid-key': 'SG.{url:22}.{url:43}',
  }),
  ...tokens('https://developers.brevo.com/docs/getting-started', {
    'brevo-key': 'xkeysib-{hex:64}-{an16}',
    'brevo-smtp-key': 'xsmtpsib-{hex:64}-{an16}',
  }),
  ...tokens(
    'https://documentation.mailgun.com/docs/mailgun/api-reference/authentication/',
    { 'mailgun-key': 'key-{hex:32}', 'mailgun-public-key': 'pubkey-{hex:32}' },
    true,
  ),
  ...tokens('https://resend.com/docs/api-reference/introduction', { 'resend-key': 're_{w:32}' }, true),
  ...tokens('https://developers.mailersend.com/general.html#authentication', { 'mailersend-key': 'mlsn.{hex:64}' }),
  ...tokens(
    'https://docs.easypost.com/docs/authentication',
    { 'easypost-key': 'EZAK{an54}', 'easypost-test-key': 'EZTK{an54}' },
    true,
  ),
  ...tokens('https://docs.goshippo.com/docs/guides_general/authentication/', {
    'shippo-live-token': 'shippo_live_{hex:40}',
    'shippo-test-token': 'shippo_test_{hex:40}',
  }),
  ...tokens('https://duffel.com/docs/api/overview/authentication', {
    'duffel-live-token': 'duffel_live_{url:43}',
    'duffel-test-token': 'duffel_test_{url:43}',
  }),
  ...tokens(
    'https://developer.squareup.com/docs/build-basics/access-tokens',
    {
      'square-access-token': 'sq0atp-{url:22}',
      'square-oauth-secret': 'sq0csp-{url:43}',
      'square-client-id': 'sq0idp-{url:22}',
      'square-token': 'EAAA{url:60}',
    },
    ['square-token'],
  ),
  ...tokens(
    'https://developers.facebook.com/docs/facebook-login/guides/access-tokens/',
    {
      'facebook-page-token': 'EAAM{an80}',
      'facebook-page-token-c': 'EAAC{an80}',
      'facebook-user-token': 'EAAB{an80}',
      'facebook-business-token': 'EAAG{an80}',
    },
    true,
  ),
  ...tokens(
    'https://developers.facebook.com/docs/instagram-platform',
    { 'instagram-token': 'IGQV{url:80}', 'instagram-login-token': 'IGAA{url:80}' },
    true,
  ),
  ...tokens('https://developer.flutterwave.com/docs/authentication', {
    'flutterwave-secret-key': 'FLWSECK-{an32}',
    'flutterwave-test-key': 'FLWSECK_TEST-{an12}',
    'flutterwave-public-key': 'FLWPUBK_TEST-{hex:32}',
    'flutterwave-public-live-key': 'FLWPUBK-{hex:32}',
  }),
  ...tokens('https://docs.adyen.com/development-resources/api-credentials/', { 'adyen-key': 'AQE{b64:80}' }, true),
  ...tokens('https://docs.midtrans.com/reference/authorization', {
    'midtrans-server-key': 'Mid-server-{url:24}',
    'midtrans-sandbox-key': 'SB-Mid-server-{url:24}',
  }),
  ...tokens('https://docs.xendit.co/docs/api-keys', {
    'xendit-production-key': 'xnd_production_{an40}',
    'xendit-development-key': 'xnd_development_{an40}',
    'xendit-public-key': 'xnd_public_{w:40}',
  }),
  ...tokens('https://razorpay.com/docs/api/authentication/', {
    'razorpay-live-key': 'rzp_live_{an14}',
    'razorpay-test-key': 'rzp_test_{an14}',
  }),
  ...tokens('https://developer.paddle.com/api-reference/about/api-keys', {
    'paddle-key': 'pdl_live_apikey_{w:40}',
    'paddle-sandbox-key': 'pdl_sdbx_apikey_{w:40}',
  }),
  ...tokens('https://developer.paypal.com/braintree/docs/', {
    'braintree-production-token': 'access_token$production${lo:16}${hex:32}',
    'braintree-sandbox-token': 'access_token$sandbox${lo:16}${hex:32}',
  }),
  ...tokens('https://plaid.com/docs/api/tokens/', {
    'plaid-sandbox-token': 'access-sandbox-{url:36}',
    'plaid-development-token': 'access-development-{url:36}',
    'plaid-production-token': 'access-production-{url:36}',
  }),
  ...tokens(
    'https://developer.gocardless.com/api-reference/',
    { 'gocardless-live-token': 'live_{url:40}', 'gocardless-sandbox-token': 'sandbox_{url:40}' },
    true,
  ),
  ...tokens(
    'https://docs.lob.com/',
    {
      'lob-live-key': 'live_{hex:35}',
      'lob-test-key': 'test_{hex:35}',
      'lob-public-live-key': 'live_pub_{hex:31}',
      'lob-public-test-key': 'test_pub_{hex:31}',
    },
    true,
  ),
  ...tokens('https://developers.linear.app/docs/graphql/working-with-the-graphql-api', {
    'linear-key': 'lin_api_{an40}',
    'linear-oauth-token': 'lin_oauth_{hex:64}',
    'linear-webhook-secret': 'lin_wh_{an40}',
  }),
  ...tokens(
    'https://developers.notion.com/docs/authorization',
    { 'notion-token': 'ntn_{an46}', 'notion-legacy-token': 'secret_{an43}' },
    ['notion-legacy-token'],
  ),
  ...tokens(
    'https://airtable.com/developers/web/guides/personal-access-tokens',
    { 'airtable-token': 'pat{an14}.{hex:64}' },
    true,
  ),
  ...tokens('https://www.figma.com/developers/api', {
    'figma-token': 'figd_{url:40}',
    'figma-oauth-token': 'figu_{url:40}',
    'figma-refresh-token': 'figur_{url:40}',
    'figma-header-token': 'figoh_{url:40}',
  }),
  ...tokens('https://developers.hubspot.com/docs/apps/legacy-apps/private-apps/overview', {
    'hubspot-token': 'pat-na1-{url:36}',
    'hubspot-token-na2': 'pat-na2-{url:36}',
    'hubspot-token-eu': 'pat-eu1-{url:36}',
  }),
  ...tokens(
    'https://developers.intercom.com/docs/build-an-integration/learn-more/authentication',
    { 'intercom-token': 'dG9r{b64:56}' },
    true,
  ),
  ...tokens('https://docs.typeform.com/developers/get-started/personal-access-token/', {
    'typeform-token': 'tfp_{dot:59}',
  }),
  ...tokens('https://developer.frame.io/', { 'frameio-token': 'fio-u-{url:64}' }),
  ...tokens(
    'https://www.dropbox.com/developers/documentation/http/documentation',
    { 'dropbox-short-token': 'sl.{url:130}' },
    true,
  ),
  ...tokens('https://developer.adobe.com/developer-console/docs/guides/authentication/', {
    'adobe-ims-secret': 'p8e-{url:32}',
  }),
  ...tokens('https://docs.mapbox.com/help/dive-deeper/access-tokens/', {
    'mapbox-secret-token': 'sk.eyJ{dot:80}',
    'mapbox-public-token': 'pk.eyJ{dot:80}',
    'mapbox-temporary-token': 'tk.eyJ{dot:80}',
  }),
  ...tokens('https://www.getbeamer.com/api', { 'beamer-key': 'b_{b64:44}' }, true),
  ...tokens('https://api.intra.42.fr/apidoc', {
    'intra42-secret': 's-s4t2ud-{hex:64}',
    'intra42-affiliate-secret': 's-s4t2af-{hex:64}',
  }),
  ...tokens('https://docs.settlemint.com/', {
    'settlemint-application-token': 'sm_aat_{an16}',
    'settlemint-personal-token': 'sm_pat_{an16}',
    'settlemint-service-token': 'sm_sat_{an16}',
  }),
  ...tokens('https://docs.rootly.com/api-reference/overview', { 'rootly-key': 'rootly_{hex:64}' }),
  ...tokens('https://www.contentful.com/developers/docs/references/content-management-api/', {
    'contentful-token': 'CFPAT-{url:43}',
  }),
  ...tokens('https://developers.klaviyo.com/en/docs/authenticate_', { 'klaviyo-key': 'pk_{hex:34}' }, true),
  ...tokens('https://docs.apify.com/platform/integrations/api', { 'apify-token': 'apify_api_{an36}' }),
  ...tokens('https://www.sanity.io/docs/http-auth', { 'sanity-token': 'skE{an80}' }, true),
  ...tokens(
    'https://developers.asana.com/docs/personal-access-token',
    { 'asana-token': '1/{d16}:{hex:32}', 'asana-v2-token': '2/{d16}/{d16}:{hex:32}' },
    true,
  ),
  ...tokens('https://docs.gitea.com/development/oauth2-provider', { 'gitea-oauth-token': 'gto_{lo:40}' }, true),
  ...tokens('https://developers.google.com/recaptcha/docs/verify', { 'recaptcha-secret': '6L{url:38}' }, true),
  ...tokens('https://developer.pagerduty.com/docs/authentication', { 'pagerduty-key': 'u+{url:18}' }, true),
  ...tokens('https://zuplo.com/docs/articles/api-key-best-practices', { 'zuplo-key': 'zpka_{w:40}' }),
];
