import { BASE64URL, DOT, PERCENT, PLUS_SLASH, SYMBOL, TILDE } from '../characters.ts';
import { isDrawn } from '../drawn-value.ts';
import type { Verify } from '../finding.ts';
import { isFiller } from '../placeholder.ts';
import type { TextWindow } from '../text-window.ts';
import { verdict } from '../verdicts.ts';
import { LETTERS_DIGITS, type Rule } from './rule.ts';

const LONGEST_PATH = 400;
/** A workspace, a webhook's number and its secret: certain by its form, however it reads. */
const SLACK_PATH = /^T[A-Z0-9]{7,12}\/B[A-Z0-9]{7,12}\/(?=[^/]{0,31}[a-z])[A-Za-z0-9]{20,32}$/;
/** A segment that is one of the anchors'. */
const NAMES = /^(?:services|workflows|triggers|webhooks?|webhookb2|incomingwebhook|hooks)$/i;
/** `/webhookb2/…/IncomingWebhook/…` names it in its path once. A text that goes on doing so is no path: the last of them may be one. */
const MOST_NAMED = 1;
/** How far that is looked for, one after the other, so that many anchors in one path stay linear work. */
const REACHES_OF_NAMES = [64, 160, LONGEST_PATH];

/** A path segment after `/services/`, `/hooks/` and their like that no person wrote: it is the whole credential. */
const verifyWebhookPath: Verify = (window, _start, end) => {
  const run = window.run(end, BASE64URL | DOT | TILDE | PLUS_SLASH | PERCENT | SYMBOL, LONGEST_PATH);
  if (goesOnNaming(window, end, run)) return undefined;
  const stop = window.trim(end, run, '.,!?*');
  const path = window.slice(end, stop).split('?', 1)[0] ?? '';
  return verdict(window, 'webhook path', path, isWebhookPath) ? { start: end, end: end + path.length } : undefined;
};

function goesOnNaming(window: TextWindow, start: number, end: number): boolean {
  for (const reach of REACHES_OF_NAMES) {
    const segments = window.slice(start, Math.min(end, start + reach)).split('/');
    if (segments.filter((segment) => NAMES.test(segment)).length > MOST_NAMED) return true;
    if (start + reach >= end) return false;
  }
  return false;
}

function isWebhookPath(path: string): boolean {
  // `workflows/ci.yml@…`: a commit of a workflow.
  if (path.length < 20 || isFiller(path) || /\.ya?ml\b|@[0-9a-f]{7,40}$/.test(path)) return false;
  const parts = path.split('/');
  if (SLACK_PATH.test(path)) return /\d/.test(path.slice(path.lastIndexOf('/'))) && !isFiller(parts.at(-1) ?? '');
  return isDrawn(parts.at(-1) ?? '') || parts.some((part) => part.length >= 20 && isDrawn(part));
}

export const WEBHOOK_PATH: Rule = {
  name: 'webhook-path',
  type: 'key',
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
  inWords: 'the path of an incoming webhook',
  masks: [(draw) => `/services/T${draw(8, LETTERS_DIGITS)}/B${draw(8, LETTERS_DIGITS)}/${draw(24, LETTERS_DIGITS)}`],
  keeps: [],
};
