/** The console's bundle. `npx vite apps/console` serves it while it is worked on, before a service on port 3000. */
import { defineConfig } from 'vite';

export default defineConfig({
  root: import.meta.dirname,
  base: '/console/',
  resolve: { conditions: ['source', 'module', 'browser', 'production'] },
  // Put in by the service, another for each load of the page.
  html: { cspNonce: '__NONCE__' },
  build: {
    outDir: '../../dist/console',
    emptyOutDir: true,
    target: 'es2022',
    // Inlined, they would be sources that the policy does not know.
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 800,
    // "use client" is for servers that render.
    rolldownOptions: { checks: { moduleLevelDirective: false } },
  },
  server: { proxy: { '/api': 'http://127.0.0.1:3000', '/health': 'http://127.0.0.1:3000' } },
});
