import type { CommandOption } from '../command-secrets.ts';

/** Command lines whose options carry a password or a token without naming it (from each command's manual page). */
export const COMMAND_OPTIONS: ReadonlyMap<string, readonly CommandOption[]> = new Map([
  ['mysql ', [{ option: '-p', style: 'attached' }]],
  ['mysqldump ', [{ option: '-p', style: 'attached' }]],
  ['mysqladmin ', [{ option: '-p', style: 'attached' }]],
  ['mysqlimport ', [{ option: '-p', style: 'attached' }]],
  ['mariadb ', [{ option: '-p', style: 'attached' }]],
  ['mariadb-dump ', [{ option: '-p', style: 'attached' }]],
  ['mongo ', [{ option: '-p', style: 'separate' }]],
  ['mongosh ', [{ option: '-p', style: 'separate' }]],
  ['mongodump ', [{ option: '-p', style: 'separate' }]],
  ['redis-cli ', [{ option: '-a', style: 'separate' }]],
  ['sshpass ', [{ option: '-p', style: 'separate' }]],
  ['sqlcmd ', [{ option: '-P', style: 'separate' }]],
  ['bcp ', [{ option: '-P', style: 'separate' }]],
  ['docker login ', [{ option: '-p', style: 'separate' }]],
  ['podman login ', [{ option: '-p', style: 'separate' }]],
  ['az login ', [{ option: '-p', style: 'separate' }]],
  ['oc login ', [{ option: '-p', style: 'separate' }]],
  ['ldapsearch ', [{ option: '-w', style: 'separate' }]],
  ['unzip ', [{ option: '-P', style: 'separate' }]],
  ['zip ', [{ option: '-P', style: 'separate' }]],
  ['7z ', [{ option: '-p', style: 'attached' }]],
  [
    'keytool ',
    [
      { option: '-storepass', style: 'separate' },
      { option: '-keypass', style: 'separate' },
      { option: '-srcstorepass', style: 'separate' },
      { option: '-deststorepass', style: 'separate' },
    ],
  ],
  ['smbclient ', [{ option: '-U', style: 'separate' }]],
  [
    'curl ',
    [
      { option: '-u', style: 'login' },
      { option: '--user', style: 'login' },
      { option: '--proxy-user', style: 'login' },
      { option: '-U', style: 'login' },
    ],
  ],
  ['http ', [{ option: '-a', style: 'login' }]],
  ['https ', [{ option: '-a', style: 'login' }]],
]);

/** Names that are anchors of a vendor's assignment: the vendor's documentation gives its keys no shape of their own. */
export const VENDOR_WORDS: readonly string[] =
  `adafruit adobe airtable algolia alibaba aliyun amplitude appwrite artifactory asana atlassian auth0 authy aws azure beamer
  bitbucket bitly bittrex binance braintree brevo buildkite calendly clearbit clickup cloudflare cloudinary codecov cohere coinbase coinmarketcap confluence contribsys
  confluent contentful crowdin datadog deepgram deepl deepseek discord digitalocean doppler droneci dropbox duffel dynatrace easypost elevenlabs etsy facebook fastly
  figma finicity finnhub firebase flickr foursquare freemius freshbooks freshdesk freshsales gcp gemini geocod giphy gitlab gitter gocardless 
  grafana  hellosign heroku hotjar hubspot ibm infura intercom intra42 ipinfo ipstack jenkins jfrog jira jumpcloud kaggle klaviyo kraken kucoin launchdarkly linear
  linkedin linode lob logzio looker mailchimp mailgun mailjet mandrill mapbox mattermost maxmind meraki messagebird midtrans   mixpanel moralis  netlify
  newrelic new-relic new_relic newsapi ngrok  nytimes newyorktimes nexmo notion octopus okta onesignal  openweather opsgenie pagerduty parsehub paypal paystack pendo percy  pingdom
  pipedrive plaid planetscale polymarket postman postmark privateai pubnub pulumi pusher rapidapi razorpay  recaptcha rollbar salesforce scalingo  sendbird sendgrid
  sendinblue sentry sentinelone shodan shippo shopify sidekiq skybiometry slack snyk sonar sonarqube spotify splunk sourcegraph square squarespace stability stackhawk statuspage storyblok stripe
  stytch sumo sumologic supabase surveymonkey telegram telnyx tencent terraform tiktok todoist travis trello twilio twitch twitter typeform typesense uploadcare unsplash
  vercel virustotal vonage wakatime weatherstack webflow wepay workos xendit yandex yelp youtube zendesk zeplin zoho zoom zapier duitku doku ipaymu fonnte rajaongkir wablas tripay`.split(
    /\s+/,
  );
