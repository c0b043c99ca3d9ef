import {
  HARMLESS_QUALIFIERS_ELSEWHERE,
  inAnyCase,
  KEYS_ELSEWHERE,
  NOT_THE_SECRET_ELSEWHERE,
  PASSWORDS_ELSEWHERE,
  SECRETS_ELSEWHERE,
} from './names-elsewhere.ts';
import { wordSet as list, wordList } from './word-set.ts';

/** Words whose presence in a name makes it the name of a secret; what follows them in the name may take that back. */
export const PASSWORD_WORDS =
  `password passwd passw passwort passphrase passcode passwrd pword pwd sandi katasandi psw pw kennwort contrasena psk
  pre-shared-key preshared-key presharedkey authtok pass_phrase pass-phrase secretword secret_word`
    .split(/\s+/)
    .concat(
      'pass phrase',
      'secret word',
      'magic word',
      'safe word',
      'code word',
      'codewort',
      'secret phrase',
      'recovery phrase',
      'recovery_phrase',
      'seed phrase',
      'seed_phrase',
      'security answer',
      'security_answer',
      'secret answer',
      'secret_answer',
      'wifi key',
      'wi-fi key',
      'wlan key',
      'network key',
      'wifi code',
      'wi-fi code',
      'community string',
      'security key',
      'pre-shared key',
      'preshared key',
      'pre shared key',
      'wpa key',
      'wpa2 key',
      PASSWORDS_ELSEWHERE,
    );
export const SECRET_WORDS =
  `secret secrets authorization secretkey apikey api_key api-key apisecret apitoken accesskey access_key access_key_id accesskeyid privatekey private_key signingkey encryptionkey
  masterkey authkey auth_key authtoken accesstoken refreshtoken token credential credentials creds licensekey rahasia kunci jwt webhooksecret
  clientsecret dockerconfigjson connectionstring salt pepper seed mnemonic cookie signature hmac sig appid sas dsn otp session sessionid csrf`
    .split(/\s+/)
    .concat('api key', 'secret key', 'access key', 'signing key', 'encryption key', SECRETS_ELSEWHERE);
export const WEAK_WORDS = 'key auth access api pass'.split(' ').concat(KEYS_ELSEWHERE);

/** The last word of a name when the name is about a secret rather than the secret: `token_type`, `passwordField`. */
export const NOT_THE_SECRET = list(`
  id ids identifier name names type types kind url uri urls uris endpoint host length len size count counts limit limits max min
  expires expiry expire expiration expired ttl lifetime timeout age date time at created updated rotation policy policies rule rules strength score
  field fields input inputs label labels placeholder placeholders form file files filename path paths dir folder ref reference arn
  version versions header headers prefix suffix provider providers manager service services store storage vault backend env var variable variables
  algorithm alg algo format binding bindings code codes method methods enabled disabled required optional valid invalid validation validator hint
  error errors message messages reset change changed update forgot confirm confirmation confirmed confirmpassword page pages link links
  usage uses used budget window price cost total index idx position offset stream handler hook callback event events class classes
  list array map set object schema model table column row cell group groups role roles scope scopes permission permissions
  status state mode level visible visibility icon button color text title description info details
  generator parser reader writer builder factory helper util utils config configuration options option settings setting params param
  rate bucket pool cache queue job task process checker check test tests mock fixture source target issuer audience subject owner user username
  email mail phone number exists present missing interval refresh algorithm_type s per ing izer ization ized ify word words up down wrap board
  ord wd hash hashes fingerprint value_from iterations digest bits bytes rounds encoding curve material purpose spec usages pair pairs ring chain agent encoder decoder hasher encoders ${NOT_THE_SECRET_ELSEWHERE.join(' ')}`);

/** In a name these make it an algorithm's, as in `PSK_WITH_AES_128_CBC` and `hmac_sha256`. */
export const NAMES_ALGORITHM = list('with without sha md aes');

/** The first words of a name that has nothing to do with secrets although it ends in `key`, `token` or `code`. */
export const HARMLESS_QUALIFIERS = list(`
  public publishable primary foreign unique cache idempotency partition sort row query storage map object dict index group routing translation
  i18n react composite candidate natural surrogate site hot short cmd ctrl shift alt arrow enter escape tab function home end down up left right
  item list json parent child data config registry event sub dedupe dedup lock message locale lang field column prop attr param option menu
  stop next max min num total input output prompt completion unk pad bos eos mask sep cls special end start cancel cancellation injection ${HARMLESS_QUALIFIERS_ELSEWHERE.join(' ')}
  status http error exit zip postal country area qr bar source byte op key`);

/** Before `key` these speak of a public one: what follows is its fingerprint. */
export const PUBLIC_KEY_QUALIFIERS = list('gpg pgp openpgp gnupg minisign');

/** Names that are anchors of a vendor's assignment: the vendor's documentation gives its keys no shape of their own. */
export const VENDOR_WORDS: readonly string[] =
  wordList(`adafruit adobe airtable algolia alibaba aliyun amplitude appwrite artifactory asana atlassian auth0 authy aws azure beamer
  bitbucket bitly bittrex binance braintree brevo buildkite calendly clearbit clickup cloudflare cloudinary codecov cohere coinbase coinmarketcap confluence contribsys
  confluent contentful crowdin datadog deepgram deepl deepseek discord digitalocean doppler droneci dropbox duffel dynatrace easypost elevenlabs etsy facebook fastly
  figma finicity finnhub firebase flickr foursquare freemius freshbooks freshdesk freshsales gcp gemini geocod giphy gitlab gitter gocardless 
  grafana  hellosign heroku hotjar hubspot ibm infura intercom intra42 ipinfo ipstack jenkins jfrog jira jumpcloud kaggle klaviyo kraken kucoin launchdarkly linear
  linkedin linode lob logzio looker mailchimp mailgun mailjet mandrill mapbox mattermost maxmind meraki messagebird midtrans   mixpanel moralis  netlify
  newrelic new-relic new_relic newsapi ngrok  nytimes newyorktimes nexmo notion octopus okta onesignal  openweather opsgenie pagerduty parsehub paypal paystack pendo percy  pingdom
  pipedrive plaid planetscale polymarket postman postmark privateai pubnub pulumi pusher rapidapi razorpay  recaptcha rollbar salesforce scalingo  sendbird sendgrid
  sendinblue sentry sentinelone shodan shippo shopify sidekiq skybiometry slack snyk sonar sonarqube spotify splunk sourcegraph square squarespace stability stackhawk statuspage storyblok stripe
  stytch sumo sumologic supabase surveymonkey telegram telnyx tencent terraform tiktok todoist travis trello twilio twitch twitter typeform typesense uploadcare unsplash
  vercel virustotal vonage wakatime weatherstack webflow wepay workos xendit yandex yelp youtube zendesk zeplin zoho zoom zapier duitku doku ipaymu fonnte rajaongkir wablas tripay`);

/** Headings of columns that hold secrets, and what takes that back. */
export const SECRET_HEADING =
  /(?:pass(?:word|wort|wd|phrase|code)|kennwort|secret|token|api[ _-]?key|access[ _-]?key|private[ _-]?key|credential|sandi|kunci|rahasia|\bkey|\bpwd|\bpass)s?\b/i;
export const HARMLESS_HEADING =
  /primary|foreign|public|type|name|length|count|limit|expir|rotation|\bmax|\bmin|policy|\bid\b|nama|jenis|tipe|jumlah/i;
/** Headings of keys that may be those of a keyboard, a file or a map; and the first key of a chord. */
export const HEADING_OF_KEYS =
  /^[\s*_`]{0,6}(?:(?:config(?:uration)?|setting|hot|shortcut|short|map|json|yaml|env|default|metadata|tag)[ _-]?)?(?:keys?|kunci)[\s*_`]{0,6}$|keyboard|shortcut|binding|pintasan/i;
export const CHORD =
  /^(?:ctrl|control|cmd|command|alt|option|shift|meta|win|super|fn|esc|tab|enter|home|end|f\d{1,2})(?:[+-]|$)/i;

/** Headings of columns that hold a user and a password, `admin / …`, and of those that hold short numbers. */
export const HEADING_OF_LOGINS =
  /^[\s*_`]{0,40}(?:(?:default|admin|root|initial) )?(?:log-?ins?|credentials?|creds|kredensial|zugang|user(?:name)?s? ?[/:&,+] ?pass(?:word)?s?)[\s*_`]{0,40}$/i;
export const HEADING_OF_NUMBERS = /^[\s*_`]{0,40}(?:pin|otp|passcode|(?:pin|door|access|unlock) code)[\s*_`]{0,40}$/i;

/** Headings of columns of passwords alone: what stands there may be made of words. */
export const HEADING_OF_PASSWORDS = /(?:\bpass(?:word|wort|wd|phrase|code)?|\bpwd|secret|sandi)s?[\s*_`]{0,8}$/i;

/** Headings of columns of users, accounts or networks: a column of passwords beside them holds passwords, whatever they look like. */
export const HEADING_OF_USERS =
  /^[\s*_`"]{0,8}(?:user(?:[ _-]?(?:name|id))?s?|log-?in(?: name)?|sign-?in|account|e-?mail(?: address)?|ssid|network|wi-?fi|usuario|usu[aá]rio|cuenta|conta|utilisateur|identifiant|compte|benutzer(?:name)?|nutzer|konto|anmeldename|netzwerk|gebruiker(?:snaam)?|inlognaam|pengguna|nama pengguna|akun|jaringan|utente|kullanıcı(?: adı)?|hesap|логин|пользователь|аккаунт|учётная запись|账号|帐号|账户|用户名?|登录名|ユーザー(?:名|id)?|アカウント|사용자|아이디|계정)[\s*_`"]{0,8}$/iu;

/** Names of secrets that are short numbers. */
export const CODE_NAMES: readonly string[] = inAnyCase([
  'pin',
  'passcode',
  'otp',
  'kode otp',
  'pin atm',
  'kode verifikasi',
  'verification code',
  'unlock code',
  'unlock_code',
  'unlockcode',
  'access code',
  'access_code',
  'accesscode',
  'door code',
  'alarm code',
  'gate code',
  'lock code',
  'safe code',
  'login code',
  'kode alarm',
  'kode pintu',
  'kode brankas',
  'kode masuk',
  'puk',
  'kode akses',
  'kode pin',
  'code pin',
  'código pin',
  'toegangscode',
  'pincode',
  'deurcode',
  'türcode',
  'pin kodu',
  'пин-код',
  'ПИН-код',
  'пин код',
  'код двери',
  'код сейфа',
  'код домофона',
  'zugangscode',
  '暗証番号',
  'cvv',
  'one-time code',
  'one time code',
  'security code',
  'confirmation code',
  '2fa code',
  'sms code',
  'einmalcode',
  'bestätigungscode',
  'sicherheitscode',
  'code de vérification',
  'código de verificación',
  'código de verificação',
  'codice di verifica',
  'verificatiecode',
  'kode keamanan',
  'код подтверждения',
  'код из смс',
  'doğrulama kodu',
  '验证码',
  '驗證碼',
  '認証コード',
  '인증번호',
  '密码',
  '密碼',
  '비밀번호',
  'パスコード',
]);

/** What may be stuck to the end of a secret word without making it another word. */
export const TAIL_WORD =
  /^(?:key|token|secret|value|val|code|hex|prod|dev|test|live|staging|base|string|str|nya|mu|ku|s)/;

/** What may stand right before a secret word in lower case: `mytoken`, `dbkey`. */
export const KNOWN_GLUE =
  /(?:^|[^a-z])(?:my|db|user|admin|app|auth|api|access|client|master|private|secret|bot|refresh|id|web|service|account|session)$/;
