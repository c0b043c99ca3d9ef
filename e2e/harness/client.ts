import { request } from 'node:http';
import { expect } from '@jest/globals';
import { apiDocument } from './api-document.ts';

export interface Reply {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: Record<string, unknown>;
  readonly text: string;
}

export interface Ask {
  readonly method?: string;
  readonly query?: Record<string, string | string[]>;
  readonly headers?: Record<string, string>;
  readonly body?: string | FormData | Record<string, unknown>;
  readonly signal?: AbortSignal;
}

/** Makes one request and reads its answer; JSON where it is JSON. Every answer must be as the service's own document says. */
export async function ask(url: string, path: string, options: Ask = {}): Promise<Reply> {
  const target = new URL(path, url);
  for (const [name, value] of Object.entries(options.query ?? {})) {
    for (const item of [value].flat()) target.searchParams.append(name, item);
  }
  const method = options.method ?? 'GET';
  const isJsonBody = typeof options.body === 'object' && !(options.body instanceof FormData);
  const response = await fetch(target, {
    method,
    headers: { ...(isJsonBody && { 'content-type': 'application/json' }), ...options.headers },
    ...(options.body !== undefined && {
      body: isJsonBody ? JSON.stringify(options.body) : options.body,
    }),
    ...(options.signal && { signal: options.signal }),
  });
  const text = await response.text();
  const headers = Object.fromEntries(response.headers);
  const isJson = headers['content-type']?.startsWith('application/json') === true && text !== '';
  const body = isJson ? (JSON.parse(text) as Record<string, unknown>) : {};
  if (isJson && response.status >= 400 && target.pathname !== '/api/check-limit' && target.pathname !== '/api/health') {
    if (target.pathname.startsWith('/v1/')) expectOpenAiErrorForm(body);
    // Refusals of the admin API tell more, each as the document says.
    else if (!target.pathname.startsWith('/admin/')) expectErrorForm(response.status, body);
  }
  const { status } = response;
  (await apiDocument(url)).check({ method, target: target.pathname + target.search, status, headers, text });
  return { status: response.status, headers, body, text };
}

/** Every error under `/v1` has OpenAI's form. */
export function expectOpenAiErrorForm(body: Record<string, unknown>): void {
  expect(Object.keys(body)).toEqual(['error']);
  expect(Object.keys(body['error'] as object)).toEqual(['message', 'type', 'param', 'code']);
}

/** The four fields and nothing else; a 429 carries the rate-limited record besides. */
export function expectErrorForm(status: number, body: Record<string, unknown>): void {
  const record = status === 429 ? ['limit', 'remaining', 'used'] : [];
  expect(Object.keys(body).sort()).toEqual(['code', 'error', 'message', 'status', ...record].sort());
  expect(body).toMatchObject({ status: false, code: status, message: expect.any(String), error: expect.any(String) });
}

/** A successful generation has exactly the documented envelope. */
export function expectSuccess(reply: Reply): string {
  expect({ status: reply.status, body: reply.body }).toEqual({
    status: 200,
    body: {
      status: true,
      code: 200,
      message: 'Sukses',
      result: expect.stringMatching(/\S/),
      metadata: {
        api_version: '2.0.0',
        timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        request_id: reply.headers['x-request-id'],
        response_time: expect.any(Number),
        remaining_requests: Number(reply.headers['x-ratelimit-remaining']),
        finish_reason: reply.headers['x-finish-reason'],
        usage: expect.objectContaining({ total_tokens: expect.any(Number) }),
      },
    },
  });
  expect(reply.headers['x-request-id']).toMatch(/^req_[0-9A-Za-z]{22}$/);
  expect(Number.isInteger((reply.body['metadata'] as { response_time: number }).response_time)).toBe(true);
  return String(reply.body['result']);
}

/** Sends a request target as it is, which `fetch` would tidy up or refuse. */
export async function askRaw(
  url: string,
  target: string,
  options: { method?: string; headers?: Record<string, string> } = {},
): Promise<Reply> {
  const { hostname, port } = new URL(url);
  const reply = await new Promise<Reply>((resolve, reject) => {
    const sent = request(
      { hostname, port, path: target, method: options.method ?? 'GET', headers: options.headers, agent: false },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString();
          const body = text === '' ? {} : (JSON.parse(text) as Record<string, unknown>);
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers as Record<string, string>,
            body,
            text,
          });
        });
      },
    );
    sent.on('error', reject);
    sent.end();
  });
  const { status, headers, text } = reply;
  (await apiDocument(url)).check({ method: options.method ?? 'GET', target, status, headers, text });
  return reply;
}
