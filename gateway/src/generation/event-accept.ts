/**
 * Whether a caller asks for an event stream: names its media type, and does not say that it wants none (`q=0`). A client
 * that takes anything (`*` + `/*`) has not asked.
 *
 * @param accept the header
 */
export function wantsEvents(accept: string | undefined): boolean {
  if (accept === undefined) return false;
  return accept.split(',').some((range) => {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    return type === 'text/event-stream' && !parameters.some((parameter) => /^q *= *0(?:\.0*)?$/.test(parameter));
  });
}
