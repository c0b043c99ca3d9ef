import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

/** Where `npm run dev -w dashboard` finds a running gateway. It refuses changes that pages of another host ask for. */
const GATEWAY = { target: 'http://127.0.0.1:8080', changeOrigin: false };

export default defineConfig({
  root: fileURLToPath(new URL('./web/', import.meta.url)),
  // With NODE_ENV=test, as tests build it, it would be another page: larger, and with this machine's paths in it.
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact', development: false } },
  build: {
    outDir: '../dist',
    emptyOutDir: true,
    target: 'es2022',
    modulePreload: { polyfill: false },
    // The page's policy allows no data: URLs.
    assetsInlineLimit: 0,
    reportCompressedSize: true,
  },
  server: { proxy: { '/dashboard': GATEWAY, '/admin': GATEWAY, '/api': GATEWAY, '/v1': GATEWAY } },
});
