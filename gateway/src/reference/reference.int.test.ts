import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startTestGateway, type TestGateway } from '../../testing/running-gateway.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway({ UPLOADS_PER_DAY: '7' });
});
afterAll(() => gateway.stop());

const get = (path: string, init: RequestInit = {}) => fetch(new URL(path, gateway.url), init);

describe.each(['/docs', '/docs/quick-start', '/docs/runbooks', '/docs/runbooks/no-workers'])('the page %s', (path) => {
  test('works without script, frame, form or anything of another site', async () => {
    const response = await get(path);
    expect(response.status).toBe(200);
    const policy = response.headers.get('content-security-policy') ?? '';
    expect(policy).toMatch(/^default-src 'none'; style-src 'self';/);
    expect(policy).not.toMatch(/unsafe|\*|https?:|data:/);
    const text = await response.text();
    expect(text).not.toMatch(/<script|<iframe|<form|\son\w+=|\sstyle=|<style|javascript:/i);
    // What the browser would fetch is ours.
    expect([...text.matchAll(/<(?:link|img|source)[^>]*(?:href|src)="([^"]*)"/g)].map(([, url]) => url)).toEqual([
      '/docs/style.css',
    ]);
    expect(text).toContain('<html lang="en">');
    expect(response.headers.get('cache-control')).toBe('no-store');
  });

  test('scrolls by keyboard wherever it scrolls', async () => {
    const text = await (await get(path)).text();
    const scrolled = [...text.matchAll(/<(?:pre|div class="scroll")([^>]*)>/g)].map(([, attributes]) =>
      attributes?.trim(),
    );
    if (!path.startsWith('/docs/runbooks/')) expect(scrolled.length).toBeGreaterThan(0);
    expect(scrolled.filter((attributes) => attributes !== 'tabindex="0"')).toEqual([]);
  });

  test('names the address that the caller came by', async () => {
    const response = await get(path);
    if (path === '/docs/quick-start')
      expect(await response.text()).toContain(`curl -G &#39;${gateway.url}/api/ai&#39;`);
  });
});

describe.each([
  ['/me', 'en', '/me/id'],
  ['/me/id', 'id', '/me'],
])('the page %s', (path, language, other) => {
  test('has one script of ours, asks this service alone, and is never sent as a form', async () => {
    const response = await get(path);
    expect(response.status).toBe(200);
    const policy = response.headers.get('content-security-policy') ?? '';
    expect(policy).toBe(
      "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    );
    const text = await response.text();
    expect([...text.matchAll(/<script[^>]*>/g)].map(([tag]) => tag)).toEqual(['<script src="/me/script.js" defer>']);
    expect(text).not.toMatch(/\son\w+=|\sstyle=|<style|javascript:/i);
    expect(text).toContain(`<html lang="${language}">`);
    expect(text).toContain(`href="${other}#chosen"`);
    // A field without a name is in no URL, whatever becomes of the script.
    expect(text).toMatch(/<input id="key" type="password" autocomplete="off"/);
    expect(text).not.toMatch(/<input[^>]* name=/);
  });
});

test('the script of /me keeps nothing', async () => {
  const response = await get('/me/script.js');
  expect(response.headers.get('content-type')).toMatch(/^text\/javascript/);
  const script = await response.text();
  expect(script).not.toMatch(/localStorage|sessionStorage|indexedDB|document\.cookie|innerHTML|history\./);
});

test('the quick start has at most 20 KB, and escapes a strange host', async () => {
  const text = await (await get('/docs/quick-start')).text();
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(20_000);
  const strange = await rawHost('a"><script>alert(1)</script>');
  expect(strange).not.toContain('<script');
});

test('the style sheet is a style sheet', async () => {
  const response = await get('/docs/style.css');
  expect(response.headers.get('content-type')).toMatch(/^text\/css/);
});

test('the text for language models names every path but those of operators', async () => {
  const text = await (await get('/llms.txt')).text();
  const document = await openApi();
  expect(text).toMatch(/^# Lontar\n\n> /);
  const paths = Object.keys(document.paths).filter((path) => !path.startsWith('/admin/'));
  for (const path of paths) expect(text).toContain(gateway.url + path);
  expect(text).not.toContain('/admin/');
});

test('the reference shows every operation', async () => {
  const text = await (await get('/docs')).text();
  for (const methods of Object.values((await openApi()).paths)) {
    for (const { operationId } of Object.values(methods)) expect(text).toContain(`id="${operationId}"`);
  }
  expect(text).toContain('7 uploads in a UTC day');
});

test('HEAD has no body, other methods get 405 with Allow', async () => {
  const head = await get('/openapi.json', { method: 'HEAD' });
  expect([head.status, await head.text()]).toEqual([200, '']);
  const post = await get('/docs', { method: 'POST' });
  expect([post.status, post.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
});

test('a runbook is found by its name and by the name of its file, and nothing else is', async () => {
  const [page, file] = await Promise.all(
    ['queue-stuck', 'queue-stuck.md'].map(async (name) => (await get(`/docs/runbooks/${name}`)).text()),
  );
  expect(page).toContain('<h1>QueueStuck</h1>');
  expect(file).toBe(page);
  for (const name of ['no-such', '%2e%2e%2fREADME', '..%2f..%2fpackage.json', 'queue-stuck/more']) {
    const response = await get(`/docs/runbooks/${name}`);
    expect([name, response.status]).toEqual([name, 404]);
    expect(await response.json()).toMatchObject({ error: 'Not Found' });
  }
});

interface Document {
  readonly servers: { url: string }[];
  readonly paths: Record<string, Record<string, { operationId: string }>>;
}

async function openApi(): Promise<Document> {
  const document = (await (await get('/openapi.json')).json()) as Document;
  expect(document.servers).toEqual([{ url: gateway.url }]);
  return document;
}

async function rawHost(host: string): Promise<string> {
  const { request } = await import('node:http');
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(gateway.url);
    request({ hostname, port, path: '/docs/quick-start', headers: { host }, agent: false }, (response) => {
      let text = '';
      response.on('data', (chunk) => {
        text += String(chunk);
      });
      response.on('end', () => resolve(text));
    })
      .on('error', reject)
      .end();
  });
}
