/** What one event of a stream of chunks says. */
export interface ChunkEvent {
  /** Of the event; '' where it has none. */
  readonly id: string;
  /** Of the answer; '' in an error. */
  readonly completionId: string;
  readonly text: string;
  readonly reasoning: string;
  /** Tool calls, or parts of them. */
  readonly calls: readonly CallPart[];
  readonly finishReason: string | undefined;
  /** The whole event, where it is an error. */
  readonly error: { readonly code: string; readonly event: string } | undefined;
}

interface CallPart {
  readonly index: number;
  readonly function: { readonly name?: string; readonly arguments: string };
}

interface Chunk {
  readonly id?: string;
  readonly error?: { readonly code: string | null };
  readonly choices?: readonly {
    readonly delta: {
      readonly content?: string | null;
      readonly reasoning_content?: string;
      readonly tool_calls?: readonly CallPart[];
    };
    readonly finish_reason: string | null;
  }[];
}

/**
 * Reads `chat.completion.chunk`s as they come, in pieces cut anywhere.
 *
 * @param onEvent called with each event but `[DONE]`; gives whether to go on
 * @returns takes the next piece; true once `[DONE]` has come
 * @throws SyntaxError from what it returns, for an event that is no JSON
 */
export function readChunks(onEvent: (event: ChunkEvent) => boolean): (piece: string) => boolean {
  let line = '';
  let id = '';
  let data = '';
  let goesOn = true;
  let isDone = false;
  const endEvent = () => {
    const [eventId, event] = [id, data];
    id = '';
    data = '';
    if (event === '') return;
    if (event === '[DONE]') isDone = true;
    else goesOn = onEvent(readChunk(eventId, event));
  };
  return (piece) => {
    const lines = (line + piece).split('\n');
    line = lines.pop() ?? '';
    for (const one of lines) {
      if (!goesOn) break;
      if (one === '') endEvent();
      else if (one.startsWith('id: ')) id = one.slice(4);
      else if (one.startsWith('data: ')) data += one.slice(6);
    }
    return isDone;
  };
}

function readChunk(id: string, event: string): ChunkEvent {
  const { id: completionId = '', error, choices = [] } = JSON.parse(event) as Chunk;
  const [choice] = choices;
  return {
    id,
    completionId,
    text: choice?.delta.content ?? '',
    reasoning: choice?.delta.reasoning_content ?? '',
    calls: choice?.delta.tool_calls ?? [],
    finishReason: choice?.finish_reason ?? undefined,
    error: error && { code: error.code ?? '', event },
  };
}
