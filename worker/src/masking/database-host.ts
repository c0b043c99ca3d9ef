import { ALNUM, CODE, DASH, DOT, isIn, QUOTE } from './characters.ts';
import { isInternal } from './host-judge.ts';
import { BARE_HOST_ENDINGS, NOT_A_HOST } from './lexicon/hosts.ts';
import type { TextWindow } from './text-window.ts';
import { endOfPort } from './url-parts.ts';

const LONGEST_HOST = 255;
/** `redis.my-service.com`, `your-host.example.com`: shows where a host goes. */
const SPEAKING_LABEL = /^(?:my|your|some)-/;
const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

export interface ServerName {
  readonly start: number;
  readonly end: number;
}

/**
 * Reads the name of a server at `from`, with its port. `localhost` and names of one label say nothing about anybody's
 * network; a name without quotes may be a reference such as `config.host` and needs an ending that hosts have.
 */
export function readServerName(window: TextWindow, from: number): ServerName | undefined {
  const quote = window.before(from - 1);
  const hostEnd = window.trim(from, window.run(from, ALNUM | DASH | DOT, LONGEST_HOST), '-.');
  if (hostEnd === from || window.touchesMarker(hostEnd)) return undefined;
  const end = endOfPort(window, hostEnd);
  const after = window.at(end);
  const quoted = isIn(quote, QUOTE);
  if (quoted ? after !== quote && after !== CODE.comma : !endsName(after)) return undefined;
  const host = window.slice(from, hostEnd);
  const labels = host.split('.');
  if (labels.length < 2 || !labels.every((label) => LABEL.test(label)) || !/^[a-z]{2,}$/.test(labels.at(-1) ?? ''))
    return undefined;
  if (NOT_A_HOST.test(host) || (!quoted && !BARE_HOST_ENDINGS.has(labels.at(-1) ?? '') && !isInternal(labels)))
    return undefined;
  if (labels.some((label) => SPEAKING_LABEL.test(label))) return undefined;
  const verdict = window.judgeHost(host);
  return verdict === 'allowed' || verdict === 'placeholder' || verdict === 'reading' ? undefined : { start: from, end };
}

function endsName(code: number): boolean {
  return (
    code <= CODE.space ||
    code === CODE.comma ||
    code === CODE.semicolon ||
    code === CODE.closeParenthesis ||
    code === CODE.closeBrace ||
    code === CODE.slash ||
    code === CODE.backtick ||
    code === CODE.less
  );
}
