/** Most characters of a line; the service sends none above 32 KB. */
export const MOST_LINE = 256 * 1024;
/** Most characters of one event's data. */
export const MOST_EVENT = 1024 * 1024;

/** A stream of events that breaks the rules of such streams, or the page's bounds. */
export class BadStream extends Error {}

const LINE_END = /\r\n|\r|\n/;

/**
 * Reads Server-Sent Events from the body of an answer; fetch can be given a key and a body, which EventSource cannot.
 * What is held at once has a bound, and the body is given up when the reader stops.
 *
 * @returns the data of each event, as it comes
 * @throws BadStream when a line or an event is longer than this page reads; what the body rejects with when it breaks
 */
export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  let data: string[] = [];
  let length = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      rest += decoder.decode(value, { stream: !done });
      // A CR at the end may be the half of a CRLF.
      const cut = !done && rest.endsWith('\r') ? rest.length - 1 : rest.length;
      const lines = rest.slice(0, cut).split(LINE_END);
      rest = (lines.pop() ?? '') + rest.slice(cut);
      for (const line of lines) {
        checkLength(line.length, MOST_LINE);
        if (line === '') {
          if (data.length > 0) yield data.join('\n');
          data = [];
          length = 0;
        } else if (line === 'data' || line.startsWith('data:')) {
          data.push(line.slice(line[5] === ' ' ? 6 : 5));
          length += line.length;
          checkLength(length, MOST_EVENT);
        }
      }
      checkLength(rest.length, MOST_LINE);
      // An event that was not ended is none.
      if (done) return;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

function checkLength(length: number, most: number): void {
  if (length > most) throw new BadStream('The answer has a longer line than this page reads.');
}
