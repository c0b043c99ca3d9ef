import { BASE64URL, DOT, PERCENT, PLUS_SLASH, SYMBOL, TILDE } from '../characters.ts';
import { isDrawn } from '../drawn-value.ts';
import type { Verify } from '../finding.ts';
import { rejectedUntil } from '../memory.ts';
import { isFiller } from '../placeholder.ts';
import { verdict } from '../verdicts.ts';
import { LETTERS_DIGITS, type Rule } from './rule.ts';

const LONGEST_PATH = 400;
/** A workspace, a webhook's number and its secret: certain by its form, however it reads. */
const SLACK_PATH = /^T[A-Z0-9]{7,12}\/B[A-Z0-9]{7,12}\/(?=[^/]{0,31}[a-z])[A-Za-z0-9]{20,32}$/;
/** A path of SLACK_PATH is no longer. */
const LONGEST_SLACK_PATH = 64;
/** Of a path that goes on, how much is not read again for the anchors in it. */
const KNOWN_OF_LONG = 200;

/** A path that was read in vain: the parts behind an anchor inside it are parts of it. */
const REJECTED = rejectedUntil();

/** A path segment after `/services/`, `/hooks/` and their like that no person wrote: it is the whole credential. */
const verifyWebhookPath: Verify = (window, _start, end) => {
  const rejected = window.remembered(REJECTED);
  if (rejected.until - end > LONGEST_SLACK_PATH) return undefined;
  const run = window.run(end, BASE64URL | DOT | TILDE | PLUS_SLASH | PERCENT | SYMBOL, LONGEST_PATH);
  const stop = window.trim(end, run, '.,!?*');
  const path = window.slice(end, stop).split('?', 1)[0] ?? '';
  if (verdict(window, 'webhook path', path, isWebhookPath)) return { start: end, end: end + path.length };
  if (!window.starved) rejected.until = end + (run < end + LONGEST_PATH ? path.length : KNOWN_OF_LONG);
  return undefined;
};

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
