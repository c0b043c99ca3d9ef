const TOKEN = '[0-9a-z!#$&^_.+-]{1,100}';
const FORM = new RegExp(`^${TOKEN}/${TOKEN}$`);
const UNKNOWN = 'application/octet-stream';

/** What a browser neither runs nor applies to a page. Everything else is served as bytes of no type. */
const INERT = /^(image\/(png|jpeg|gif|webp|avif|bmp)|(audio|video)\/[0-9a-z.+-]+|application\/(pdf|zip|gzip|json))$/;

/** Of code: text, whatever language it is in. */
export const CODE_CONTENT_TYPE = 'text/plain; charset=utf-8';

/** The type that the caller states, without parameters; `application/octet-stream` for what is none. */
export function statedContentType(given: string | undefined): string {
  const type = given?.split(';')[0]?.trim().toLowerCase() ?? '';
  return FORM.test(type) ? type : UNKNOWN;
}

/**
 * The type that an upload is served under. HTML and SVG would be shown, and scripts and style sheets could be taken
 * into a page of ours that trusts its own origin; as bytes they can only be saved.
 */
export function servedContentType(stated: string): string {
  if (stated === CODE_CONTENT_TYPE) return stated;
  if (/^text\/(plain|csv|markdown)$/.test(stated)) return CODE_CONTENT_TYPE;
  return INERT.test(stated) ? stated : UNKNOWN;
}
