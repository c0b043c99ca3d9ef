import { ALNUM, BASE64URL, DIGIT, DOT, HEX, isIn, TILDE, WORD } from './characters.ts';
import { ANY_DIGIT, type Anchor, type Finding, type Verify } from './finding.ts';
import { isFiller } from './placeholder.ts';
import type { TextWindow } from './text-window.ts';
import { isDrawn } from './value-judge.ts';

/** A token whose recognisable part stands in the middle or at the end. */
export interface InnerShape {
  readonly name: string;
  readonly anchors: readonly string[];
  readonly source: string;
  readonly verify: Verify;
  /** The shape in words, for the documentation. */
  readonly shape: string;
  /** A token of this shape; `draw` gives characters of an alphabet. */
  readonly sample: (draw: (length: number, alphabet: string) => string) => string;
}

const LOWER_DIGITS = 'abcdefghijklmnopqrstuvwxyz0123456789';
const ALL = `ABCDEFGHIJKLMNOPQRSTUVWXYZ${LOWER_DIGITS}`;
const HEX_DIGITS = '0123456789abcdef';

function key(rule: string, start: number, end: number): Finding {
  return { type: 'key', rule, start, end };
}

/** Not the middle of a longer word on either side. */
function standsAlone(window: TextWindow, start: number, end: number): boolean {
  return !isIn(window.before(start - 1), WORD) && !isIn(window.at(end), WORD);
}

const verifyTelegram: Verify = (window, start, end) => {
  const from = window.runBefore(start + 1, DIGIT, 12);
  const glued = window.before(from - 1);
  if (
    window.code(start + 1) !== 58 ||
    start + 1 - from < 6 ||
    (isIn(glued, WORD) && !/bot$/i.test(window.left(from, 3)))
  )
    return undefined;
  const stop = window.run(end, BASE64URL, 64);
  if (stop - end < 30 || !window.text.startsWith('AA', end - 2) || isFiller(window.text.slice(end, stop)))
    return undefined;
  return key('telegram-bot-token', from, stop);
};

const verifyDiscord: Verify = (window, start) => {
  if (isIn(window.before(start - 1), WORD)) return undefined;
  const stop = window.run(start, BASE64URL | DOT, 120);
  const parts = window.text.slice(start, stop).split('.');
  const [id = '', time = '', signature = ''] = parts;
  if (
    parts.length < 3 ||
    id.length < 18 ||
    id.length > 30 ||
    time.length !== 6 ||
    signature.length < 27 ||
    !standsAlone(window, start, stop)
  )
    return undefined;
  if (!/^\d{15,22}$/.test(Buffer.from(id, 'base64url').toString('latin1'))) return undefined;
  return key('discord-bot-token', start, stop);
};

const verifyMailchimp: Verify = (window, start, end) => {
  const from = window.runBefore(start, HEX, 40);
  const stop = window.run(end, DIGIT, 3);
  return start - from === 32 && stop > end && standsAlone(window, from, stop)
    ? key('mailchimp-key', from, stop)
    : undefined;
};

const verifyFacebookApp: Verify = (window, start, end) => {
  const from = window.runBefore(start + 1, DIGIT, 18);
  const stop = window.run(end, BASE64URL, 40);
  const digits = start + 1 - from;
  if (digits < 15 || digits > 17 || stop - end < 27 || !standsAlone(window, from, stop)) return undefined;
  return isDrawn(window.text.slice(end, stop)) ? key('facebook-app-token', from, stop) : undefined;
};

const verifyAzureSecret: Verify = (window, start, end) => {
  const from = start - 3;
  if (from < window.floor || !/^[\w~.-]{3}\dQ~$/.test(window.text.slice(from, end))) return undefined;
  const stop = window.run(end, BASE64URL | DOT | TILDE, 40);
  const tail = window.trim(end, stop, '.');
  return tail - end < 31 || isIn(window.before(from - 1), WORD) ? undefined : key('azure-client-secret', from, tail);
};

const verifyTerraform: Verify = (window, start, end) => {
  const from = window.runBefore(start, ALNUM, 20);
  const stop = window.run(end, BASE64URL, 100);
  return start - from < 12 || stop - end < 40 ? undefined : key('terraform-token', from, stop);
};

const verifyMaxmind: Verify = (window, start, end) => {
  const from = window.runBefore(start, WORD, 48);
  return start - from < 30 || isIn(window.at(end), WORD) ? undefined : key('maxmind-license-key', from, end);
};

const verifyContribsys: Verify = (window, start) => {
  const from = window.runBefore(start, HEX | 2048, 24);
  return /^[0-9a-f]{8}:[0-9a-f]{8}$/i.test(window.text.slice(from, start))
    ? key('sidekiq-credentials', from, start)
    : undefined;
};

/** A path segment after `/services/`, `/hooks/` and their like that no person wrote: it is the whole credential. */
const verifyWebhookPath: Verify = (window, _start, end) => {
  const stop = window.trim(end, window.run(end, BASE64URL | DOT | TILDE | 256 | 4096 | 65_536, 400), '.,!?*');
  const path = window.text.slice(end, stop).split('?', 1)[0] ?? '';
  const last = path.split('/').at(-1) ?? '';
  const secret =
    path.length >= 20 &&
    !isFiller(path) &&
    (isDrawn(last) || path.split('/').some((part) => part.length >= 20 && isDrawn(part)));
  return secret ? key('webhook-path', end, end + path.length) : undefined;
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

/** Tokens recognised by their middle, their end or their place. */
export const INNER_SHAPES: readonly InnerShape[] = [
  {
    name: 'telegram-bot-token',
    anchors: [`${ANY_DIGIT}:aa`],
    source: 'https://core.telegram.org/bots/api#authorizing-your-bot',
    verify: verifyTelegram,
    shape: 'digits, colon, AA, 33 characters',
    sample: (draw) => `1${draw(9, '0123456789')}:AA${draw(33, ALL)}`,
  },
  {
    name: 'mailchimp-key',
    anchors: ['-us'],
    source: 'https://mailchimp.com/developer/marketing/guides/quick-start/',
    verify: verifyMailchimp,
    shape: '32 hexadecimal digits, -us, the data centre',
    sample: (draw) => `${draw(32, HEX_DIGITS)}-us12`,
  },
  {
    name: 'facebook-app-token',
    anchors: [`${ANY_DIGIT}|`, `${ANY_DIGIT}%7c`],
    source: 'https://developers.facebook.com/docs/facebook-login/guides/access-tokens/',
    verify: verifyFacebookApp,
    shape: 'the application number, a pipe, 27 characters',
    sample: (draw) => `1${draw(15, '0123456789')}|${draw(27, ALL)}`,
  },
  {
    name: 'azure-client-secret',
    anchors: [`${ANY_DIGIT}q~`],
    source: 'https://learn.microsoft.com/entra/identity-platform/quickstart-register-app',
    verify: verifyAzureSecret,
    shape: 'three characters, a digit, Q~, 31 or more characters',
    sample: (draw) => `${draw(3, ALL)}8Q~${draw(34, ALL)}`,
  },
  {
    name: 'terraform-token',
    anchors: ['.atlasv1.'],
    source: 'https://developer.hashicorp.com/terraform/cloud-docs/users-teams-organizations/api-tokens',
    verify: verifyTerraform,
    shape: '14 characters, .atlasv1., 67 characters',
    sample: (draw) => `${draw(14, ALL)}.atlasv1.${draw(67, ALL)}`,
  },
  {
    name: 'maxmind-license-key',
    anchors: ['_mmk'],
    source: 'https://dev.maxmind.com/geoip/updating-databases',
    verify: verifyMaxmind,
    shape: 'six characters, underscore, 29 characters, _mmk',
    sample: (draw) => `${draw(6, ALL)}_${draw(29, ALL)}_mmk`,
  },
  {
    name: 'sidekiq-credentials',
    anchors: ['@gems.contribsys.com', '@enterprise.contribsys.com'],
    source: 'https://github.com/sidekiq/sidekiq/wiki/Commercial-FAQ',
    verify: verifyContribsys,
    shape: 'two groups of eight hexadecimal digits before the gem server',
    sample: (draw) => `${draw(8, HEX_DIGITS)}:${draw(8, HEX_DIGITS)}@gems.contribsys.com`,
  },
  {
    name: 'discord-bot-token',
    anchors: discordAnchors(),
    source: 'https://discord.com/developers/docs/reference#authentication',
    verify: verifyDiscord,
    shape: 'a user number in base64, a time, a signature',
    sample: (draw) =>
      `${Buffer.from(`1${draw(17, '0123456789')}`).toString('base64url')}.${draw(6, ALL)}.${draw(38, ALL)}`,
  },
  {
    name: 'webhook-path',
    anchors: [
      '/services/',
      '/workflows/',
      '/triggers/',
      '/webhooks/',
      '/webhook/',
      '/webhookb2/',
      '/incomingwebhook/',
      '/hooks/catch/',
      '/hooks/',
    ],
    source: 'https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks/',
    verify: verifyWebhookPath,
    shape: 'the path of an incoming webhook',
    sample: (draw) => `/services/T${draw(8, ALL)}/B${draw(8, ALL)}/${draw(24, ALL)}`,
  },
];

/** The anchors of all inner shapes. */
export function innerShapeAnchors(): Anchor[] {
  return INNER_SHAPES.flatMap(({ anchors, verify }) => anchors.map((text) => ({ text, verify })));
}
