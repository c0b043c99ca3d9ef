import { Agent, type IncomingMessage, request } from 'node:http';
import { type Ledger, type LedgerEntry, NONCE } from './ledger.ts';

export interface Caller {
  /**
   * Sends one request and enters into the ledger how it ended.
   *
   * @returns when it has ended; never rejects
   */
  send(url: string, key: { readonly id: string; readonly key: string }, how?: SendHow): Promise<LedgerEntry>;
  close(): void;
}

export interface SendHow {
  /** Words for the upstream's behaviour, after the nonce. */
  readonly words?: string;
  /** Closes the connection when it aborts. */
  readonly leave?: AbortSignal;
  /** The client's address, a loopback one; the system's choice where absent. */
  readonly from?: string;
  /** Called with the nonce before anything is sent. */
  readonly onNonce?: (nonce: string) => void;
}

/** Clients of the service, which keep their connections alive. */
export function createCaller(ledger: Ledger): Caller {
  const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY, scheduling: 'lifo' });
  return {
    send(url, key, how = {}) {
      const entry = ledger.open(key.id);
      how.onNonce?.(entry.nonce);
      const target = new URL('/api/ai', url);
      target.searchParams.set('prompt', `${entry.nonce} ${how.words ?? ''}`);
      return new Promise((resolve) => {
        const finish = (end: NonNullable<LedgerEntry['end']>) => {
          if (entry.end) return;
          entry.end = end;
          entry.endedAt = Date.now();
          resolve(entry);
        };
        const headers = { 'x-api-key': key.key };
        const sent = request(target, { agent, headers, ...(how.from && { localAddress: how.from }) }, (response) => {
          readText(response).then(
            (text) => {
              if (response.statusCode === 200) entry.ownAnswer = NONCE.exec(text)?.[0] === entry.nonce;
              finish({
                kind: 'answered',
                status: response.statusCode ?? 0,
                requestId: String(response.headers['x-request-id']),
                retryAfter: response.headers['retry-after'],
                text: response.statusCode === 200 ? '' : text,
              });
            },
            () => finish({ kind: how.leave?.aborted ? 'left' : 'broken' }),
          );
        });
        sent.on('error', () => finish({ kind: how.leave?.aborted ? 'left' : 'broken' }));
        how.leave?.addEventListener('abort', () => sent.destroy(), { once: true });
        sent.end();
      });
    },
    close: () => agent.destroy(),
  };
}

async function readText(response: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of response.setEncoding('utf8')) text += chunk;
  if (!response.complete) throw new Error('the answer was cut off');
  return text;
}
