import { readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import type { Tiles } from '@lontar/shared/dashboard-contract.ts';
import { failure, type HttpAnswer } from '@lontar/shared/http/envelope.ts';
import { sharedFor } from '@lontar/shared/shared-for.ts';
import { type DashboardDeps, redeemLink } from '../access/dashboard.ts';
import { findSession } from '../access/operator-session.ts';
import type { Asked } from '../asked.ts';
import { readTiles } from '../counters/read-counters.ts';

/**
 * Scripts and styles of this origin alone, no markup from strings (Trusted Types, without a policy that
 * could make some), no frames, no other origin at all.
 */
export const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

const PAGE_HEADERS = {
  'content-security-policy': PAGE_POLICY,
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
} as const;

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};
/** Names that the build gives; a content hash is in each. */
const ASSET_PATTERN = /^[\w-]+(?:\.[\w-]+)*\.(?:js|css|svg)$/;

const PLACE = '<div id="page">';
/** The numbers in the page may be this old, ms: with DASHBOARD_PUBLIC any client may load it, any number of times. */
const TILES_MS = 500;

const NOT_BUILT = `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Lontar: the dashboard is not built</title>
<h1>The dashboard is not built</h1>
<p>Everything else works. Build it once and load this page again:</p>
<pre>npm run build -w dashboard</pre></html>
`;

export interface Page {
  open(asked: Asked): Promise<HttpAnswer>;
  /** One of its files, named by `:file`. */
  asset(asked: Asked): Promise<HttpAnswer>;
}

/**
 * Serves the built page. Not `express.static`: a name holds its content's hash, so that nothing has to be compared again,
 * and no path is resolved.
 *
 * @param dist the build's folder; read at each request of the page, so that a build shows without a restart
 */
export function openPage(dist: URL, deps: DashboardDeps): Page {
  const tiles = sharedFor(TILES_MS, () => readTiles(deps.redis, deps.clock.now()));
  return {
    open: (asked) => answerPage(dist, { ...deps, tiles }, asked),
    asset: ({ params }) => answerAsset(dist, params['file'] ?? ''),
  };
}

interface PageDeps extends DashboardDeps {
  readonly tiles: () => Promise<Tiles>;
}

async function answerPage(dist: URL, deps: PageDeps, asked: Asked): Promise<HttpAnswer> {
  const code = asked.query.get('code');
  // A browser that loads ahead of its user must not use up the link.
  if (code !== null && !asked.ahead) return redeemLink(deps, asked, code);
  const page = await readFile(new URL('index.html', dist), 'utf8').catch(() => undefined);
  const headers = { ...PAGE_HEADERS, 'content-type': 'text/html; charset=utf-8' };
  if (page === undefined) return { status: 503, headers, body: NOT_BUILT };
  if (!(await maySee(deps, asked))) return { status: 200, headers, body: page };
  const place = await openPlace(deps);
  return { status: 200, headers, body: page.replace(PLACE, () => place) };
}

/**
 * Stands in the page itself: that the stream is open, so that the page connects at once and does not ask first; and the
 * counters of now, so that it shows numbers before the stream has opened.
 */
async function openPlace(deps: PageDeps): Promise<string> {
  const tiles = await deps.tiles().catch(() => undefined);
  const numbers = tiles === undefined ? '' : ` data-tiles="${escapeAttribute(JSON.stringify(tiles))}"`;
  return `<div id="page" data-open${numbers}>`;
}

function escapeAttribute(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
}

/** Whether the live stream will be open; with Redis away the page finds out by itself. */
async function maySee(deps: DashboardDeps, asked: Asked): Promise<boolean> {
  return deps.open || (await findSession(deps, asked.cookie, asked.address).catch(() => undefined)) !== undefined;
}

async function answerAsset(dist: URL, file: string): Promise<HttpAnswer> {
  if (!ASSET_PATTERN.test(file)) return failure('not_found');
  const content = await readFile(new URL(`assets/${file}`, dist)).catch(() => undefined);
  if (content === undefined) return failure('not_found');
  const headers = {
    ...PAGE_HEADERS,
    'content-type': TYPES[extname(file)] ?? 'application/octet-stream',
    'cache-control': 'public, max-age=31536000, immutable',
  };
  return { status: 200, headers, body: content };
}
