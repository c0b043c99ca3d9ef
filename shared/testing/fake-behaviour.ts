import type { IncomingHttpHeaders } from 'node:http';
import type { FakeToolCall, FakeUsage, Protocol } from './fake-answers.ts';

/** How the fake upstream treats one call. */
export type FakeBehaviour =
  | {
      readonly kind: 'answer';
      readonly text: string;
      readonly delayMs?: number;
      /** In OpenAI's words; said in Gemini's words to who speaks Gemini's protocol. Default `stop`. */
      readonly finishReason?: 'stop' | 'length' | 'content_filter' | (string & {});
      readonly usage?: FakeUsage;
      readonly reasoning?: string;
      readonly toolCalls?: readonly FakeToolCall[];
      /** Of a stream: between two events, ms. */
      readonly paceMs?: number;
      /** Of a stream: UTF-16 units in each event. Default 4. */
      readonly pieceLength?: number;
    }
  /** A stream that begins well and then says that it failed. */
  | { readonly kind: 'error-event'; readonly error?: object }
  /** Bytes as they are. */
  | {
      readonly kind: 'raw';
      readonly status?: number;
      /** Default `text/event-stream`. */
      readonly contentType?: string;
      readonly headers?: Readonly<Record<string, string>>;
      readonly pieces: readonly (string | Uint8Array)[];
      /** Between two pieces, ms. */
      readonly paceMs?: number;
      /** `cut`: the connection ends without the end of the response; `open`: nothing follows. Default `whole`. */
      readonly end?: 'whole' | 'cut' | 'open';
    }
  | {
      readonly kind: 'status';
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      /** Text as it is, anything else as JSON; by default an error in the words of the protocol. */
      readonly body?: unknown;
    }
  /** Reads the request and resets the connection. */
  | 'reset'
  /** Reads the request and says nothing, ever. */
  | 'hang'
  /** Sends an answer that never ends, one byte now and then, so that no idle timer runs out. */
  | 'drip'
  /** 200 with HTML. */
  | 'garbage'
  /** 200 with an answer whose text is empty. */
  | 'empty'
  /** 200 with what a reasoning model says that used all its output tokens before any text. */
  | 'used-up'
  /** 200 with what the protocol says when a safety filter stopped everything. */
  | 'blocked'
  /** 200 with 50 MB of answer, streamed without a length. */
  | 'huge'
  /** 200 with a length, half of the answer, and the end of the connection. */
  | 'half'
  /** 200 with an answer written, and declared, in ISO 8859-1. */
  | 'wrong-charset';

export interface FakeCall {
  readonly protocol: Protocol;
  /** With the query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** Parsed JSON body. */
  readonly body: Record<string, unknown>;
  readonly model: string;
  readonly system: string | undefined;
  readonly prompt: string;
  /** Whether it asks for a stream. */
  readonly isStream: boolean;
  /** The client's port: each connection has its own. */
  readonly clientPort: number | undefined;
  /** When its body had arrived, Unix ms. */
  readonly at: number;
  /** Whether the client closed the connection before the answer was complete; changes when it does. */
  readonly aborted: boolean;
  /** Resolves when the client closes the connection before the answer is complete. */
  readonly whenAborted: Promise<void>;
}

/** What happens to a call, or what decides it. */
export type Behaviour = FakeBehaviour | ((call: FakeCall) => FakeBehaviour | Promise<FakeBehaviour>);
