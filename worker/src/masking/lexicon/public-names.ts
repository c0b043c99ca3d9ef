import { ASCII, isIn, LETTER, lowerCase } from '../characters.ts';

/** A name that ends like a secret's and is public by definition, without the marks between its words, and who says so. */
interface PublicName {
  readonly ending: string;
  readonly source: string;
}

const PUBLIC_NAMES: readonly PublicName[] = [
  { ending: 'publickeytoken', source: 'https://learn.microsoft.com/en-us/dotnet/standard/assembly/strong-named' },
  { ending: 'publickey', source: 'https://www.rfc-editor.org/rfc/rfc8292' },
  { ending: 'publickeyjwk', source: 'https://www.rfc-editor.org/rfc/rfc7517' },
  { ending: 'publickeypem', source: 'https://www.rfc-editor.org/rfc/rfc7468' },
  { ending: 'publickeyhex', source: 'https://www.rfc-editor.org/rfc/rfc8032' },
  { ending: 'pubkey', source: 'https://man.openbsd.org/ssh-keygen' },
  { ending: 'sitekey', source: 'https://developers.google.com/recaptcha/docs/display' },
  { ending: 'secwebsocketkey', source: 'https://www.rfc-editor.org/rfc/rfc6455#section-1.3' },
  { ending: 'secwebsocketaccept', source: 'https://www.rfc-editor.org/rfc/rfc6455#section-1.3' },
  { ending: 'idempotencykey', source: 'https://docs.stripe.com/api/idempotent_requests' },
  { ending: 'xidempotencykey', source: 'https://docs.stripe.com/api/idempotent_requests' },
  { ending: 'continuationtoken', source: 'https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListObjectsV2.html' },
  { ending: 'signaturevalue', source: 'https://www.w3.org/TR/xmldsig-core1/' },
  { ending: 'digestvalue', source: 'https://www.w3.org/TR/xmldsig-core1/' },
  { ending: 'oldpwd', source: 'https://pubs.opengroup.org/onlinepubs/9799919799/utilities/cd.html' },
  { ending: 'nexttoken', source: 'https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListObjectsV2.html' },
  { ending: 'nextpagetoken', source: 'https://google.aip.dev/158' },
  { ending: 'pagetoken', source: 'https://google.aip.dev/158' },
  { ending: 'certificateauthoritydata', source: 'https://kubernetes.io/docs/reference/config-api/kubeconfig.v1/' },
  { ending: 'clientcertificatedata', source: 'https://kubernetes.io/docs/reference/config-api/kubeconfig.v1/' },
];

const ENDINGS = PUBLIC_NAMES.map(({ ending }) => ending);
/** What the endings end in: most names end in two other letters. */
const LAST_LETTERS = new Set(ENDINGS.map((ending) => lastLetters(ending)));

/** The last two letters as a number, whatever marks and digits stand among them; 0 where there are not two. */
function lastLetters(name: string): number {
  let last = 0;
  for (let index = name.length - 1; index >= 0; index--) {
    const code = lowerCase(name.charCodeAt(index));
    if (!isIn(code, LETTER)) continue;
    if (last > 0) return code * ASCII + last;
    last = code;
  }
  return 0;
}

/** True for `VAPID_PUBLIC_KEY`, `PublicKeyToken`, `RECAPTCHA_SITE_KEY`: what they are given may be read by anybody. */
export function isPublicName(name: string): boolean {
  if (!LAST_LETTERS.has(lastLetters(name))) return false;
  const joined = name.toLowerCase().replace(/[^a-z]/g, '');
  return ENDINGS.some((ending) => joined.endsWith(ending));
}

/**
 * Values with a grammar of their own that are no secret: the hash of a password as Django and PostgreSQL store it, the id of
 * a Firebase app, the name of a resource at Amazon.
 */
export const PUBLIC_VALUE =
  /^(?:(?:pbkdf2|bcrypt|argon2|scrypt|md5|unsalted)\w{0,12}\$|SCRAM-SHA-(?:1|256|512)\$\d|1:\d{6,14}:(?:web|ios|android):[0-9a-f]{8,}$|arn:aws)/;
