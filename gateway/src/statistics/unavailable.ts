import type { ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { type RefusalDetails, refuse } from '../envelope/answer.ts';
import type { RequestContext } from '../envelope/request-context.ts';

/** What callers get while stats-service is away or hangs. */
export const UNAVAILABLE = {
  message: 'The statistics cannot be reached now. Generation goes on; try again in a few seconds.',
  headers: { 'Retry-After': '5' },
} as const satisfies RefusalDetails;

/**
 * What who opens the dashboard sees instead: JSON would tell a person nothing. It tries again by a script of
 * ours: a page that loads itself anew every few seconds takes the reader's place away.
 */
const UNAVAILABLE_PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>✕ Statistics away · Lontar</title>
<link rel="stylesheet" href="/docs/style.css">
<script src="/docs/try-again.js" defer></script>
</head>
<body>
<main>
<h1>The dashboard cannot be shown now</h1>
<p>stats-service does not answer this gateway. Generation goes on, and nothing is lost: what is answered meanwhile is counted when it is back.</p>
<p>This page tries again every 5 seconds. <a href="/docs/runbooks/stats-pipeline-lag">What to do</a>; the log of stats-service says why it does not run.</p>
<p><a href="/">Try again now</a> · <a href="/docs">API reference</a></p>
</main>
</body>
</html>
`;

/**
 * Answers instead of stats-service.
 *
 * @param asked absent where there is no request to speak of
 */
export function sendUnavailable(
  response: ServerResponse | Socket,
  asked: { readonly path: string; readonly context: Pick<RequestContext, 'headers'> } | undefined,
): void {
  if (response instanceof Socket || response.headersSent) return void response.destroy();
  const { status, headers, body } = refuse('service_unavailable', UNAVAILABLE);
  const isPage = asked?.path === '/' && /\btext\/html\b/.test(asked.context.headers.accept ?? '');
  const text = isPage ? UNAVAILABLE_PAGE : JSON.stringify(body);
  response.writeHead(status, {
    ...headers,
    ...(isPage && {
      'Content-Security-Policy':
        "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; base-uri 'none'; frame-ancestors 'none'",
    }),
    'Content-Type': isPage ? 'text/html; charset=utf-8' : 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(text),
  });
  response.end(text);
}
