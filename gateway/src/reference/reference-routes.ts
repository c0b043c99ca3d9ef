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

type Render = (limits: PublicLimits, origin: string) => ReferencePage;

const asHtml = (text: string): ReferencePage => ({ type: 'text/html', text, contentSecurityPolicy: PAGE_POLICY });
const asType = (type: string, text: string): ReferencePage => ({ type, text, contentSecurityPolicy: NOTHING });

/** What the gateway tells about itself, by path; all take GET and HEAD. */
export const REFERENCE_PAGES: Readonly<Record<string, Render>> = {
  '/openapi.json': (limits, origin) =>
    asType('application/json', JSON.stringify(openApiDocument(limits, VERSION, origin))),
  '/docs': (limits, origin) => asHtml(referencePage(openApiDocument(limits, VERSION, origin))),
  '/docs/quick-start': (limits, origin) => asHtml(quickStartPage(origin, limits)),
  '/docs/style.css': () => asType('text/css', style),
  '/llms.txt': (limits, origin) => asType('text/plain', llmsText(origin, limits)),
};
