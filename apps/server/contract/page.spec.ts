/** The page of the contract in a real browser. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ERRORS } from '#kit/http/problem';
import { browserIsHere, watchPage } from '../../../test/browser.js';
import { until } from '../../../test/until.js';
import { TestService } from '../test/fixture.js';

const folder = mkdtempSync(join(tmpdir(), 'mvs-page-'));
let service: TestService;
beforeAll(async () => {
  service = await TestService.start();
});
afterAll(async () => {
  await service.stop();
  rmSync(folder, { recursive: true, force: true });
});

(browserIsHere ? it : it.skip)(
  'shows the contract in Chromium, asks nobody else for anything and breaks no policy',
  async () => {
    const page = await watchPage(`${service.address}/api/v1/docs`, folder);
    try {
      for (const scheme of ['light', 'dark'] as const) {
        if (scheme === 'dark') await page.load(scheme);
        await until(async () =>
          String(await page.evaluate('document.body.innerText')).includes('/api/v1/verify-match'),
        );
        expect(await page.evaluate('document.body.classList.contains("dark-mode")')).toBe(scheme === 'dark');
      }
      // Each `docs` of a refusal leads to a place of the page.
      const codes = JSON.stringify(Object.keys(ERRORS));
      const places = `[...document.querySelectorAll('[id]')].map(({ id }) => id)`;
      const without = `${codes}.filter((code) => !${places}.some((id) => id.endsWith('description/' + code)))`;
      await until(async () => String(await page.evaluate(`${without}.length`)) === '0');
      expect(page.requested.filter((url) => !/^(data|blob):/.test(url) && !url.startsWith(service.address))).toEqual(
        [],
      );
      // The browser asks for a picture of its own accord.
      expect(page.complaints.filter((said) => !said.includes('404'))).toEqual([]);
    } finally {
      await page.close();
    }
  },
);
