import { readFileSync } from 'node:fs';
import { VERSION } from '@lontar/shared/version.ts';
import { llmsText } from './llms-text.ts';
import { openApiDocument, type PublicLimits } from './openapi.ts';
import { quickStartPage } from './quick-start.ts';
import { referencePage } from './reference-page.ts';

/** A page or document about the API. */
export interface ReferencePage {
  readonly type: string;
  readonly text: string;
  readonly contentSecurityPolicy: string;
}

/** No script, no frame, no form, nothing of anybody else: text, and our own style sheet. */
const PAGE_POLICY = "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
const NOTHING = "default-src 'none'; frame-ancestors 'none'";
const style = readFileSync(new URL('./style.css', import.meta.url), 'utf8');

/** Stands for the caller's origin in what is made once. */
const ORIGIN = 'https://origin.invalid';

const asHtml = (text: string): ReferencePage => ({ type: 'text/html', text, contentSecurityPolicy: PAGE_POLICY });
const asType = (type: string, text: string): ReferencePage => ({ type, text, contentSecurityPolicy: NOTHING });

/** Paths of what the gateway tells about itself; all take GET and HEAD. */
export const REFERENCE_PATHS = ['/openapi.json', '/docs', '/docs/quick-start', '/docs/style.css', '/llms.txt'] as const;
export type ReferencePath = (typeof REFERENCE_PATHS)[number];

/**
 * What the gateway tells about itself. The document and its page are large and made once: nobody is counted for asking
 * for them, so asking must be cheap.
 *
 * @returns a function of the path and the origin that the caller came by
 */
export function createReference(limits: PublicLimits): (path: ReferencePath, origin: string) => ReferencePage {
  const document = openApiDocument(limits, VERSION, ORIGIN);
  const json = JSON.stringify(document);
  const reference = asHtml(referencePage(document));
  const sheet = asType('text/css', style);
  const pages: Record<ReferencePath, (origin: string) => ReferencePage> = {
    '/openapi.json': (origin) =>
      asType(
        'application/json',
        json.replace(ORIGIN, () => origin),
      ),
    '/docs': () => reference,
    '/docs/quick-start': (origin) => asHtml(quickStartPage(origin, limits)),
    '/docs/style.css': () => sheet,
    '/llms.txt': (origin) => asType('text/plain', llmsText(origin, limits)),
  };
  return (path, origin) => pages[path](origin);
}
