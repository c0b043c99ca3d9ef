/** One event of a live stream. */
export interface StreamEvent {
  readonly event: string;
  readonly id: string;
  readonly data: Record<string, unknown>;
}

/** A reader of a live stream, as a browser's EventSource would be. */
export interface StreamReader {
  readonly status: number;
  readonly headers: Headers;
  /** The next event, or the next of this name; those before it are skipped. */
  next(name?: string): Promise<StreamEvent>;
  /** How many events of this name have come so far. */
  seen(name: string): number;
  /** Resolves when the server has closed the stream. */
  ended(): Promise<void>;
  close(): void;
}

export async function readStream(url: string, headers: Record<string, string> = {}): Promise<StreamReader> {
  const leaving = new AbortController();
  const response = await fetch(url, { headers, signal: leaving.signal });
  const events = parse(response);
  const counts = new Map<string, number>();
  return {
    status: response.status,
    headers: response.headers,
    async next(name) {
      for (;;) {
        const { value, done } = await events.next();
        if (done) throw new Error(`the stream ended before ${name ?? 'the next event'}`);
        counts.set(value.event, (counts.get(value.event) ?? 0) + 1);
        if (name === undefined || value.event === name) return value;
      }
    },
    seen: (name) => counts.get(name) ?? 0,
    async ended() {
      while (!(await events.next()).done);
    },
    close: () => leaving.abort(),
  };
}

async function* parse(response: Response): AsyncGenerator<StreamEvent> {
  let text = '';
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += chunk;
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const block = text.slice(0, end);
      text = text.slice(end + 2);
      const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1];
      const data = field('data');
      if (data !== undefined) {
        yield {
          event: field('event') ?? 'message',
          id: field('id') ?? '',
          data: JSON.parse(data) as StreamEvent['data'],
        };
      }
    }
  }
}
