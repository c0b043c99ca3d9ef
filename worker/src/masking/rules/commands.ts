import type { CommandOption } from '../command-secrets.ts';

/** Command lines whose options carry a password or a token without naming it (from each command's manual page). */
export const COMMAND_OPTIONS: readonly CommandOption[] = [
  { command: 'mysql ', option: '-p', style: 'attached' },
  { command: 'mysqldump ', option: '-p', style: 'attached' },
  { command: 'mysqladmin ', option: '-p', style: 'attached' },
  { command: 'mysqlimport ', option: '-p', style: 'attached' },
  { command: 'mariadb ', option: '-p', style: 'attached' },
  { command: 'mariadb-dump ', option: '-p', style: 'attached' },
  { command: 'mongo ', option: '-p', style: 'separate' },
  { command: 'mongosh ', option: '-p', style: 'separate' },
  { command: 'mongodump ', option: '-p', style: 'separate' },
  { command: 'redis-cli ', option: '-a', style: 'separate' },
  { command: 'sshpass ', option: '-p', style: 'separate' },
  { command: 'sqlcmd ', option: '-P', style: 'separate' },
  { command: 'bcp ', option: '-P', style: 'separate' },
  { command: 'docker login ', option: '-p', style: 'separate' },
  { command: 'podman login ', option: '-p', style: 'separate' },
  { command: 'az login ', option: '-p', style: 'separate' },
  { command: 'oc login ', option: '-p', style: 'separate' },
  { command: 'ldapsearch ', option: '-w', style: 'separate' },
  { command: 'smbclient ', option: '-U', style: 'separate' },
  { command: 'curl ', option: '-u', style: 'login' },
  { command: 'curl ', option: '--user', style: 'login' },
  { command: 'curl ', option: '--proxy-user', style: 'login' },
  { command: 'curl ', option: '-U', style: 'login' },
  { command: 'http ', option: '-a', style: 'login' },
  { command: 'https ', option: '-a', style: 'login' },
];

/** Names that are anchors of a vendor's assignment: the vendor's documentation gives its keys no shape of their own. */
export const VENDOR_WORDS: readonly string[] =
  `adafruit adobe airtable algolia alibaba aliyun amplitude appwrite artifactory asana atlassian auth0 authy aws azure beamer
  bitbucket bitly bittrex binance braintree brevo buildkite calendly clearbit clickup cloudflare cloudinary codecov cohere coinbase coinmarketcap confluence
  confluent contentful crowdin datadog deepgram deepl deepseek discord digitalocean doppler droneci dropbox duffel dynatrace easypost elevenlabs etsy facebook fastly
  figma finicity finnhub firebase flickr foursquare freemius freshbooks freshdesk freshsales gcp gemini geocod giphy gitlab gitter gocardless google
  grafana groq hellosign heroku hotjar hubspot ibm infura intercom intra42 ipinfo ipstack jenkins jfrog jira jumpcloud kaggle klaviyo kraken kucoin launchdarkly linear
  linkedin linode lob logzio looker mailchimp mailgun mailjet mandrill mapbox mattermost maxmind meraki messagebird midtrans miro mistral mixpanel moralis mux netlify
  newrelic new-relic new_relic newsapi ngrok npm nytimes newyorktimes nexmo notion octopus okta onesignal openai openweather opsgenie pagerduty parsehub paypal paystack pendo percy perplexity pingdom
  pipedrive plaid planetscale polymarket postman postmark privateai pubnub pulumi pusher rapidapi razorpay readme recaptcha rollbar salesforce scalingo segment sendbird sendgrid
  sendinblue sentry sentinelone shodan shippo shopify sidekiq skybiometry slack snyk sonar sonarqube spotify splunk square squarespace stability stackhawk statuspage storyblok stripe
  stytch sumo sumologic supabase surveymonkey telegram telnyx tencent terraform tiktok todoist travis trello twilio twitch twitter typeform typesense uploadcare unsplash
  vercel virustotal vonage wakatime weatherstack webflow wepay workos xendit yandex yelp youtube zendesk zeplin zoho zoom zapier duitku doku ipaymu fonnte rajaongkir wablas tripay`.split(
    /\s+/,
  );
