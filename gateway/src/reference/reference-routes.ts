import { readFileSync } from 'node:fs';
import { VERSION } from '@lontar/shared/version.ts';
import { llmsText } from './llms-text.ts';
import { openApiDocument, type PublicLimits } from './openapi.ts';
import { OWN_KEY_SCRIPT, ownKeyPage } from './own-key-page.ts';
import { OWN_KEY_PATHS, type OwnKeyLanguage } from './own-key-words.ts';
import { quickStartPage } from './quick-start.ts';
import { referencePage } from './reference-page.ts';
import { createRunbooks, RUNBOOKS_PATH } from './runbooks.ts';

/** A page or document about the API. */
export interface ReferencePage {
  readonly type: string;
  /** Its text in pieces, UTF-8. Those that are large are the same memory for all who ask. */
  readonly pieces: readonly Buffer[];
  readonly contentSecurityPolicy: string;
}

/** Where a runbook that the path names is read; without a name, the table of all. */
export const RUNBOOK_PATHS = [RUNBOOKS_PATH, `${RUNBOOKS_PATH}/:name`] as const;

/** No script, no frame, no form, nothing of another site: text, and our own style sheet. */
const PAGE_POLICY = "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
const NOTHING = "default-src 'none'; frame-ancestors 'none'";
const style = readFileSync(new URL('./style.css', import.meta.url), 'utf8');
const tryAgainScript = readFileSync(new URL('./try-again.js', import.meta.url), 'utf8');
const ownKeyScript = readFileSync(new URL('./own-key.js', import.meta.url), 'utf8');
/** As `PAGE_POLICY`, with a script of ours that may ask the API; no form is ever sent by the browser itself. */
const OWN_KEY_POLICY = PAGE_POLICY.replace(
  "style-src 'self'",
  "style-src 'self'; script-src 'self'; connect-src 'self'",
);

/** Stands for the caller's origin in what is made once. */
const ORIGIN = 'https://origin.invalid';

const asType = (type: string, ...texts: readonly string[]): ReferencePage => {
  const contentSecurityPolicy = type === 'text/html' ? PAGE_POLICY : NOTHING;
  return { type, pieces: texts.map((text) => Buffer.from(text)), contentSecurityPolicy };
};

/** Paths of what the gateway says about itself; all take GET and HEAD. */
export const REFERENCE_PATHS = [
  '/openapi.json',
  '/docs',
  '/docs/quick-start',
  '/docs/style.css',
  '/docs/try-again.js',
  '/llms.txt',
  ...Object.values(OWN_KEY_PATHS),
  OWN_KEY_SCRIPT,
] as const;
export type ReferencePath = (typeof REFERENCE_PATHS)[number];

/**
 * What the gateway says about itself. The document and its page are large and made once for each catalog of models:
 * requests for them are not counted, so they must be cheap, and what is held for a client that does not read it must
 * be shared.
 *
 * @returns a function of the path and the origin that the caller came by
 */
export function createReference(limits: PublicLimits): (path: ReferencePath, origin: string) => ReferencePage {
  const { models } = limits.reading;
  let catalog = models.current;
  let pages = makePages(limits);
  return (path, origin) => {
    if (models.current !== catalog) {
      catalog = models.current;
      pages = makePages(limits);
    }
    return pages[path](origin);
  };
}

/**
 * The runbooks, as pages that are held once for all who ask.
 *
 * @returns a function of the name in the path; it gives `undefined` where there is no such runbook
 */
export function createRunbookPages(): (name: string | undefined) => ReferencePage | undefined {
  const runbooks = createRunbooks();
  return (name) => {
    const text = runbooks(name);
    return text && { type: 'text/html', pieces: [text], contentSecurityPolicy: PAGE_POLICY };
  };
}

function makePages(limits: PublicLimits): Record<ReferencePath, (origin: string) => ReferencePage> {
  const document = openApiDocument(limits, VERSION, ORIGIN);
  const [json, ...rest] = JSON.stringify(document).split(ORIGIN);
  const [beforeOrigin, afterOrigin] = asType('application/json', json ?? '', rest.join(ORIGIN)).pieces as [
    Buffer,
    Buffer,
  ];
  const reference = asType('text/html', referencePage(document));
  const sheet = asType('text/css', style);
  const script = asType('text/javascript', ownKeyScript);
  const tryAgain = asType('text/javascript', tryAgainScript);
  const ownKey = (language: OwnKeyLanguage) => {
    const made = { ...asType('text/html', ownKeyPage(language)), contentSecurityPolicy: OWN_KEY_POLICY };
    return () => made;
  };
  return {
    '/openapi.json': (origin) => ({
      ...asType('application/json'),
      pieces: [beforeOrigin, Buffer.from(origin), afterOrigin],
    }),
    '/docs': () => reference,
    '/docs/quick-start': (origin) => asType('text/html', quickStartPage(origin, limits)),
    '/docs/style.css': () => sheet,
    '/docs/try-again.js': () => tryAgain,
    [OWN_KEY_PATHS.en]: ownKey('en'),
    [OWN_KEY_PATHS.id]: ownKey('id'),
    [OWN_KEY_SCRIPT]: () => script,
    '/llms.txt': (origin) => asType('text/plain', llmsText(origin, limits)),
  };
}
