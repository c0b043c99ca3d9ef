import { ALNUM, BASE64URL, CODE, DASH, HOSTNAME, isIn, PLUS_SLASH, UNDERSCORE } from '../characters.ts';
import { type Anchor, type Label, MARKERS, type MaskType, type Verify } from '../finding.ts';
import { endOfPort } from '../url-parts.ts';

const OWN = "the service's own settings";
/** The rule of configured secrets, hosts and addresses; a value is masked as what it is. */
const CONFIGURED_VALUES: Readonly<Record<MaskType, Label>> = {
  url: { name: 'configured-value', type: 'url', source: OWN },
  key: { name: 'configured-value', type: 'key', source: OWN },
  ip: { name: 'configured-value', type: 'ip', source: OWN },
  connection: { name: 'configured-value', type: 'connection', source: OWN },
};
/** The rule of `MASK_HOSTS`. */
export const CONFIGURED_HOST: Label = { name: 'configured-host', type: 'url', source: 'the setting MASK_HOSTS' };

const SHORTEST = 8;

/**
 * Anchors for the service's own secrets, hosts and addresses, in every form they may appear in: as they are,
 * percent-encoded, escaped for JSON, and inside base64 at each of its three alignments. Short values and plain words
 * are left out: masking them would only show where they are.
 */
export function knownValueAnchors(values: readonly string[]): Anchor[] {
  const forms = new Map<string, { exact: string; type: MaskType; encoded: boolean }>();
  for (const value of values) {
    if (!isMaskable(value)) continue;
    const type = typeOf(value);
    for (const form of formsOf(value))
      if (form.length >= SHORTEST) forms.set(form, { exact: form, type, encoded: false });
    for (const form of base64Forms(value)) if (!forms.has(form)) forms.set(form, { exact: form, type, encoded: true });
  }
  return [...forms.values()].map(({ exact, type, encoded }) => ({
    text: exact.replace(/[A-Z]+/g, (letters) => letters.toLowerCase()),
    verify: encoded ? verifyEncoded(exact) : verifyKnown(exact),
    rule: CONFIGURED_VALUES[type],
    known: true,
  }));
}

function verifyKnown(exact: string): Verify {
  return (window, start, end) => (window.text.startsWith(exact, start) ? { start, end } : undefined);
}

const BASE64_ANY = BASE64URL | PLUS_SLASH;

/** The characters beside the stable ones hold bits of the value and of its neighbour: they go with it. */
function verifyEncoded(exact: string): Verify {
  return (window, start, end) =>
    window.text.startsWith(exact, start)
      ? {
          start: isIn(window.before(start - 1), BASE64_ANY) ? start - 1 : start,
          end: isIn(window.at(end), BASE64_ANY) ? end + 1 : end,
        }
      : undefined;
}

function isMaskable(value: string): boolean {
  if (value.length < SHORTEST || value.length > 4096) return false;
  if (/^[a-z]+$/i.test(value) && value.length < 16) return false;
  return !value.includes('***') && !Object.values(MARKERS).some((marker) => marker.includes(value.toUpperCase()));
}

function typeOf(value: string): MaskType {
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(value)) return /^(?:https?|wss?):/i.test(value) ? 'url' : 'connection';
  if (/^(?:\d{1,3}\.){3}\d{1,3}(?::\d+)?$/.test(value) || (/^[0-9a-f:]+$/i.test(value) && value.split(':').length > 2))
    return 'ip';
  return /^[a-z0-9-]+(?:\.[a-z0-9-]+)*\.[a-z]{2,}(?::\d+)?$/i.test(value) ? 'url' : 'key';
}

function formsOf(value: string): string[] {
  return [
    value,
    percentEncoded(value),
    percentEncoded(value).replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()),
    JSON.stringify(value).slice(1, -1),
    value.replaceAll('/', '\\/'),
  ];
}

/** Like encodeURIComponent, but a lone surrogate is no error. */
function percentEncoded(value: string): string {
  return encodeURIComponent(value.toWellFormed()).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** What base64 makes of the value whatever stands before and after it: the characters no neighbour can change. */
function base64Forms(value: string): string[] {
  const bytes = Buffer.from(value, 'utf8');
  const forms: string[] = [];
  for (let shift = 0; shift < 3; shift++) {
    const padded = Buffer.concat([Buffer.alloc(shift), bytes]);
    const encoded = padded.toString('base64').replace(/={1,2}$/, '');
    const from = Math.ceil((shift * 8) / 6);
    const stable = encoded.slice(from, Math.floor((padded.length * 8) / 6));
    if (stable.length >= 12) forms.push(stable, stable.replaceAll('+', '-').replaceAll('/', '_'));
  }
  return forms;
}

/** Anchors for the hosts of `MASK_HOSTS`. */
export function configuredHostAnchors(hosts: readonly string[]): Anchor[] {
  return hosts.map((text) => ({ text, verify: verifyConfiguredHost, rule: CONFIGURED_HOST }));
}

/** Verifies at a host of `maskHosts`, wherever it is named: the host, its subdomains and its port are masked. */
const verifyConfiguredHost: Verify = (window, start, end) => {
  const after = window.at(end);
  if (isIn(after, ALNUM | DASH | UNDERSCORE) || (after === CODE.dot && isIn(window.at(end + 1), ALNUM)))
    return undefined;
  const code = window.before(start - 1);
  if (isIn(code, ALNUM | DASH | UNDERSCORE)) return undefined;
  const from = code === CODE.dot ? window.runBefore(start, HOSTNAME) : start;
  return { start: from, end: endOfPort(window, end) };
};
