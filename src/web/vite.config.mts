import { defineConfig } from 'vite';

/** Where `npm run dev:web` finds the service. */
const SERVICE = 'http://127.0.0.1:3000';

export default defineConfig({
  root: import.meta.dirname,
  base: '/console/',
  build: {
    outDir: '../../dist/console',
    emptyOutDir: true,
    target: 'es2023',
    // A data: URL in a style sheet would need an exception in the content security policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      // Libraries mark parts for servers that render; there is none here.
      onLog: (level, log, show) => {
        if (log.code !== 'MODULE_LEVEL_DIRECTIVE') show(level, log);
      },
    },
  },
  server: {
    port: 5173,
    proxy: Object.fromEntries(
      ['/api', '/auth', '/docs', '/openapi.json'].map((path) => [
        path,
        { target: SERVICE, changeOrigin: true, headers: { origin: SERVICE } },
      ]),
    ),
  },
});
