import { ALNUM, BASE64URL, BLANK, CODE, DIGIT, DOT, HEX, isIn, PLUS_SLASH, TILDE, WORD } from '../characters.ts';
import { ANY_DIGIT, type Verify } from '../finding.ts';
import { isFiller } from '../placeholder.ts';
import type { TextWindow } from '../text-window.ts';
import { isDrawnIn, verdict } from '../verdicts.ts';
import { HEX_DIGITS, LETTERS_DIGITS, type Rule } from './rule.ts';
import { WEBHOOK_PATH } from './webhook-paths.ts';

/** The body of a Mailchimp key is as long as an MD5 digest. */
const MD5_DIGITS = 32;

/** Not the middle of a longer word on either side. */
function standsAlone(window: TextWindow, start: number, end: number): boolean {
  return !isIn(window.before(start - 1), WORD) && !isIn(window.at(end), WORD);
}

const verifyTelegram: Verify = (window, start, end) => {
  const from = window.runBefore(start + 1, DIGIT, 12);
  const glued = window.before(from - 1);
  if (
    window.code(start + 1) !== CODE.colon ||
    start + 1 - from < 6 ||
    (isIn(glued, WORD) && !/bot$/i.test(window.left(from, 3)))
  )
    return undefined;
  const stop = window.run(end, BASE64URL, 64);
  if (
    stop - end < 30 ||
    !window.text.startsWith('AA', end - 2) ||
    verdict(window, 'filler', window.slice(end, stop), isFiller)
  )
    return undefined;
  return { start: from, end: stop };
};

/** The number of a bot, in base64. */
const [SHORTEST_DISCORD_ID, LONGEST_DISCORD_ID] = [18, 30];

const verifyDiscord: Verify = (window, start) => {
  if (isIn(window.before(start - 1), WORD)) return undefined;
  const idEnd = window.run(start, BASE64URL, LONGEST_DISCORD_ID + 1);
  if (idEnd - start < SHORTEST_DISCORD_ID || window.at(idEnd) !== CODE.dot) return undefined;
  const stop = window.run(start, BASE64URL | DOT, 120);
  const parts = window.slice(start, stop).split('.');
  const [id = '', time = '', signature = ''] = parts;
  if (
    parts.length < 3 ||
    id.length > LONGEST_DISCORD_ID ||
    time.length !== 6 ||
    signature.length < 27 ||
    !standsAlone(window, start, stop)
  )
    return undefined;
  if (!/^\d{15,22}$/.test(Buffer.from(id, 'base64url').toString('latin1'))) return undefined;
  return { start, end: stop };
};

const verifyMailchimp: Verify = (window, start, end) => {
  const from = window.runBefore(start, HEX, 40);
  const stop = window.run(end, DIGIT, 3);
  return start - from === MD5_DIGITS && stop > end && standsAlone(window, from, stop)
    ? { start: from, end: stop }
    : undefined;
};

const verifyFacebookApp: Verify = (window, start, end) => {
  const from = window.runBefore(start + 1, DIGIT, 18);
  const stop = window.run(end, BASE64URL, 40);
  const digits = start + 1 - from;
  if (digits < 15 || digits > 17 || stop - end < 27 || !standsAlone(window, from, stop)) return undefined;
  return isDrawnIn(window, window.slice(end, stop)) ? { start: from, end: stop } : undefined;
};

const verifyAzureSecret: Verify = (window, start, end) => {
  const from = start - 3;
  if (from < window.floor || !/^[\w~.-]{3}\dQ~$/.test(window.slice(from, end))) return undefined;
  const stop = window.run(end, BASE64URL | DOT | TILDE, 40);
  const tail = window.trim(end, stop, '.');
  return tail - end < 31 || isIn(window.before(from - 1), WORD) ? undefined : { start: from, end: tail };
};

const verifyTerraform: Verify = (window, start, end) => {
  const from = window.runBefore(start, ALNUM, 20);
  const stop = window.run(end, BASE64URL, 100);
  return start - from < 12 || stop - end < 40 ? undefined : { start: from, end: stop };
};

const verifyMaxmind: Verify = (window, start, end) => {
  const from = window.runBefore(start, WORD, 48);
  return start - from < 30 || isIn(window.at(end), WORD) || window.touchesMarker(end)
    ? undefined
    : { start: from, end };
};

const verifyContribsys: Verify = (window, start) => {
  const from = window.runBefore(start, HEX | 2048, 24);
  return /^[0-9a-f]{8}:[0-9a-f]{8}$/i.test(window.slice(from, start)) ? { start: from, end: start } : undefined;
};

/** What base64 makes of three decimal digits: their bits are 0011 and the digit. */
function discordAnchors(): string[] {
  const base64 = 'abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz0123456789';
  const anchors: string[] = [];
  for (let number = 100; number < 1000; number++) {
    const bits = 0x303030 | (Math.floor(number / 100) << 16) | (Math.floor((number % 100) / 10) << 8) | (number % 10);
    anchors.push(
      base64.charAt(bits >> 18) +
        base64.charAt((bits >> 12) & 63) +
        base64.charAt((bits >> 6) & 63) +
        base64.charAt(bits & 63),
    );
  }
  return [...new Set(anchors)];
}

/** What may stand between an identifier of a key and the key, and how long the key is. */
const PAIR_JOINT =
  /^(?:["'`*]|&quot;|<\/[a-z]{1,8}>){0,3}[ \t]{0,2}(?:[:=,|/]|=>|\n|<[a-z]{1,8}>)[ \t]{0,8}(?:["'`*]|&quot;|<[a-z]{1,8}>){0,3}/;
const LONGEST_JOINT = 64;
const AWS_SECRET_LENGTH = 40;

/** Verifies at the id of a key of Amazon's with the key itself right behind it, as in `"AKIA…": "…"`. */
const verifyAwsPair: Verify = (window, start, end) => {
  if (isIn(window.before(start - 1), ALNUM)) return undefined;
  const idEnd = window.run(end, ALNUM, 32);
  if (idEnd - start !== 20) return undefined;
  const joint = PAIR_JOINT.exec(window.peek(idEnd, LONGEST_JOINT));
  if (joint === null) return undefined;
  const from = idEnd + joint[0].length;
  const stop = window.run(from, ALNUM | PLUS_SLASH, AWS_SECRET_LENGTH + 1);
  if (stop - from !== AWS_SECRET_LENGTH || !isDrawnIn(window, window.slice(from, stop))) return undefined;
  return { start, end: idEnd, also: [{ start: from, end: stop }] };
};

export const AWS_PAIR: Rule = {
  name: 'aws-key-pair',
  type: 'key',
  anchors: ['akia', 'asia'],
  source: 'https://docs.aws.amazon.com/IAM/latest/UserGuide/id_credentials_access-keys.html',
  verify: verifyAwsPair,
  inWords: 'the id of an access key and the key behind it',
  masks: [(draw) => `"AKIA${draw(16, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ')}": "${draw(40, LETTERS_DIGITS)}"`],
  keeps: [],
};

/** How far around a member of a JSON Web Key its type may stand. */
const REACH_OF_KEY = 300;

/** Verifies at the members of a JSON Web Key that only a private one has (RFC 7518, 6.2.2, 6.3.2 and 6.4.1). */
const verifyWebKey: Verify = (window, start, end) => {
  const from = window.run(end, BLANK, 4);
  if (window.at(from) !== CODE.doubleQuote) return undefined;
  const stop = window.run(from + 1, BASE64URL);
  if (stop - from < 20 || window.at(stop) !== CODE.doubleQuote) return undefined;
  const near = window.left(start, REACH_OF_KEY).includes('"kty"') || window.peek(stop, REACH_OF_KEY).includes('"kty"');
  return near ? { start: from + 1, end: stop } : undefined;
};

/** Tokens recognised by their middle, their end or their place. */
export const UNPREFIXED_TOKENS: readonly Rule[] = [
  {
    name: 'json-web-key',
    type: 'key',
    anchors: ['d', 'k', 'p', 'q', 'dp', 'dq', 'qi'].map((member) => `"${member}":`),
    source: 'https://www.rfc-editor.org/rfc/rfc7518#section-6',
    verify: verifyWebKey,
    inWords: 'the private members of a JSON Web Key',
    masks: [(draw) => `{ "kty": "OKP", "crv": "Ed25519", "d": "${draw(43, LETTERS_DIGITS)}" }`],
    keeps: ['{ "p": "abcdefghijklmnopqrstuvwxyz" }', '{ "kty": "OKP", "x": "abcdefghijklmnopqrstuvwxyz" }'],
  },
  {
    name: 'telegram-bot-token',
    type: 'key',
    anchors: [`${ANY_DIGIT}:aa`],
    source: 'https://core.telegram.org/bots/api#authorizing-your-bot',
    verify: verifyTelegram,
    inWords: 'digits, colon, AA, 33 characters',
    masks: [(draw) => `1${draw(9, '0123456789')}:AA${draw(33, LETTERS_DIGITS)}`],
    keeps: [],
  },
  {
    name: 'mailchimp-key',
    type: 'key',
    anchors: ['-us'],
    source: 'https://mailchimp.com/developer/marketing/guides/quick-start/',
    verify: verifyMailchimp,
    inWords: '32 hexadecimal digits, -us, the data centre',
    masks: [(draw) => `${draw(32, HEX_DIGITS)}-us12`],
    keeps: [],
  },
  {
    name: 'facebook-app-token',
    type: 'key',
    anchors: [`${ANY_DIGIT}|`, `${ANY_DIGIT}%7c`],
    source: 'https://developers.facebook.com/docs/facebook-login/guides/access-tokens/',
    verify: verifyFacebookApp,
    inWords: 'the application number, a pipe, 27 characters',
    masks: [(draw) => `1${draw(15, '0123456789')}|${draw(27, LETTERS_DIGITS)}`],
    keeps: [],
  },
  {
    name: 'azure-client-secret',
    type: 'key',
    anchors: [`${ANY_DIGIT}q~`],
    source: 'https://learn.microsoft.com/entra/identity-platform/quickstart-register-app',
    verify: verifyAzureSecret,
    inWords: 'three characters, a digit, Q~, 31 or more characters',
    masks: [(draw) => `${draw(3, LETTERS_DIGITS)}8Q~${draw(34, LETTERS_DIGITS)}`],
    keeps: [],
  },
  {
    name: 'terraform-token',
    type: 'key',
    anchors: ['.atlasv1.'],
    source: 'https://developer.hashicorp.com/terraform/cloud-docs/users-teams-organizations/api-tokens',
    verify: verifyTerraform,
    inWords: '14 characters, .atlasv1., 67 characters',
    masks: [(draw) => `${draw(14, LETTERS_DIGITS)}.atlasv1.${draw(67, LETTERS_DIGITS)}`],
    keeps: [],
  },
  {
    name: 'maxmind-license-key',
    type: 'key',
    anchors: ['_mmk'],
    source: 'https://dev.maxmind.com/geoip/updating-databases',
    verify: verifyMaxmind,
    inWords: 'six characters, underscore, 29 characters, _mmk',
    masks: [(draw) => `${draw(6, LETTERS_DIGITS)}_${draw(29, LETTERS_DIGITS)}_mmk`],
    keeps: [],
  },
  {
    name: 'sidekiq-credentials',
    type: 'key',
    anchors: ['@gems.contribsys.com', '@enterprise.contribsys.com'],
    source: 'https://github.com/sidekiq/sidekiq/wiki/Commercial-FAQ',
    verify: verifyContribsys,
    inWords: 'two groups of eight hexadecimal digits before the gem server',
    masks: [(draw) => `${draw(8, HEX_DIGITS)}:${draw(8, HEX_DIGITS)}@gems.contribsys.com`],
    keeps: [],
  },
  {
    name: 'discord-bot-token',
    type: 'key',
    anchors: discordAnchors(),
    beginsWord: true,
    source: 'https://discord.com/developers/docs/reference#authentication',
    verify: verifyDiscord,
    inWords: 'a user number in base64, a time, a signature',
    masks: [
      (draw) =>
        `${Buffer.from(`1${draw(17, '0123456789')}`).toString('base64url')}.${draw(6, LETTERS_DIGITS)}.${draw(38, LETTERS_DIGITS)}`,
    ],
    keeps: [],
  },
  WEBHOOK_PATH,
];
