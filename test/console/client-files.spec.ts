/** A client's files, dropped beside his claim: drawn in the page, and sent nowhere. */
import type { Browser, Page } from 'playwright-core';
import { jcamp } from '#science/spectra/test/jcamp';
import { claimOf, formOf } from '../../apps/server/test/fixture.js';
import { browserIsHere } from '../browser.js';
import { ConsoleWindow, launch, type Seeded, seed } from './fixture.js';

interface Given {
  name: string;
  mimeType: string;
  buffer: Buffer;
}

const given = (name: string, content: string | Buffer): Given => ({
  name,
  mimeType: 'application/octet-stream',
  buffer: Buffer.from(content),
});

/** The files of a simulated claim, by side. */
async function filesOf(claim: ReturnType<typeof claimOf>): Promise<Record<'rough' | 'polish', Given[]>> {
  const form = formOf(claim);
  const read = (side: string) =>
    Promise.all(
      form.getAll(`${side}_files`).map(async (file) => {
        const { name } = file as File;
        return given(name, Buffer.from(await (file as File).arrayBuffer()));
      }),
    );
  return { rough: await read('rough'), polish: await read('polish') };
}

(browserIsHere ? describe : describe.skip)('files of a client (chromium)', () => {
  let seeded: Seeded;
  let browser: Browser;
  let window: ConsoleWindow;
  let page: Page;
  const sent: string[] = [];
  beforeAll(async () => {
    [seeded, browser] = await Promise.all([seed(10), launch()]);
  });
  beforeEach(async () => {
    window = await ConsoleWindow.open(browser, seeded.service.address);
    page = window.page;
    sent.length = 0;
    page.on('request', (request) => {
      if (request.postData() !== null) sent.push(`${request.method()} ${request.url()}`);
    });
  });
  afterEach(async () => {
    expect(sent).toEqual([]);
    expect(window.complaints).toEqual([]);
    await window.close();
  });
  afterAll(async () => {
    await browser?.close();
    await seeded?.stop();
  });
  const field = (side: string) => page.getByLabel(`Scans of the ${side}`);

  it.each(['/review', '/claims/:claim'])('are drawn over each other on %s, with where they differ', async (path) => {
    await window.signIn('anna', { path: path.replace(':claim', seeded.claims[2]) });
    const { rough, polish } = await filesOf(claimOf(3));
    await field('rough').setInputFiles(rough);
    await page.getByRole('img', { name: /^rough, 3 scans$/ }).waitFor();
    await field('polish').setInputFiles(polish);
    await page
      .getByRole('img', { name: /^rough, 3 scans, polish, \d scans?, differing most from \d+ to \d+ cm⁻¹$/ })
      .waitFor();
    const where = page.getByRole('list', { name: 'where the sides differ most' }).getByRole('listitem');
    expect(await where.count()).toBe(3);
    if (path !== '/review') expect(await page.getByText('these are the scans of this claim').count()).toBe(2);
    for (const said of await where.allInnerTexts())
      expect(said).toMatch(/^\d+ to \d+ cm⁻¹: (rough|polish) higher by [\d.e-]+$/);
    await window.settle();
    await window.picture(`client-files-${path.split('/')[1]}`);
    expect(await window.accessibility()).toEqual([]);
    expect(await window.unstyled()).toEqual([]);
  });

  it('say that a scan stands on both sides, and are drawn where they are dropped', async () => {
    await window.signIn('olga', { path: `/claims/${seeded.claims[2]}` });
    const { rough } = await filesOf(claimOf(3));
    await field('polish').setInputFiles([rough[0]]);
    const dropped = await page.evaluateHandle(
      `(() => {
        const dropped = new DataTransfer();
        for (const [name, text] of ${JSON.stringify(rough.map(({ name, buffer }) => [name, buffer.toString()]))})
          dropped.items.add(new File([text], name));
        return dropped;
      })()`,
    );
    await page
      .locator('label.drop', { hasText: 'Scans of the rough' })
      .dispatchEvent('drop', { dataTransfer: dropped });
    await page.getByRole('img', { name: /^rough, 3 scans, polish, 1 scan/ }).waitFor();
    await page.getByText('not the scans of this claim').waitFor();
    expect(await page.getByText('these are the scans of this claim').count()).toBe(1);
    await page.getByText('1 scan of the rough is on the side of the polish too.').waitFor();
    // What is dropped beside a field does not take the page away.
    await page.locator('main').dispatchEvent('drop', { dataTransfer: dropped });
    await window.heading(/^Claim clm_/).waitFor();
  });

  it('are told from the scans of the other side and of other stones, and from rounded ones', async () => {
    const whole = claimOf(30);
    const [rough, other] = [await filesOf(whole), await filesOf(claimOf(4))];
    whole.rough.spectra = whole.rough.spectra.map((scan) => scan.map((x) => Number(x.toFixed(4))));
    const { claim_id } = (await seeded.service.verify(whole)).body;
    await window.signIn('anna', { path: `/claims/${claim_id}` });
    const says = async (files: Given[], text: string) => {
      await field('rough').setInputFiles(files);
      await page.getByText(text).waitFor();
    };
    await says(rough.rough, 'the claim has the same numbers, rounded: absorbances to 4 decimals');
    await says(rough.polish, 'these are the scans of the claim’s polish');
    await says(other.rough, 'another stone’s, by their names: CAL5N4');
    await says(rough.rough.slice(1), 'whether these are a part cannot be told');
    await field('polish').setInputFiles([...rough.polish, other.rough[0]]);
    await page.getByText(/^the (\d )?scans? of this claim (is|are) among these \d$/).waitFor();
    await window.picture('client-files-told-apart');
    expect(await window.accessibility()).toEqual([]);
  });

  it('are not compared where the browser computes no digest, and the page says so', async () => {
    await window.context.addInitScript("Object.defineProperty(crypto, 'subtle', { value: undefined })");
    await window.signIn('anna', { path: `/claims/${seeded.claims[2]}` });
    await field('rough').setInputFiles((await filesOf(claimOf(3))).rough);
    await page.getByText('not compared with this claim').waitFor();
  });

  it('that cannot be read are named with reason and fix, and the others are drawn', async () => {
    await window.signIn('olga', { path: `/claims/${seeded.claims[2]}` });
    const { rough } = await filesOf(claimOf(3));
    await field('rough').setInputFiles([
      rough[0],
      given('empty.csv', ''),
      given('pairs.zip', Buffer.from('PK\u0003\u0004')),
      given('photo.jpg', 'x'),
      given('<img src=x onerror=planted=1>.csv', '4000,0.1\n'),
      given('S1.0', Buffer.from([10, 10, 0xfe, 0xfe, 0, 0, 0, 0])),
    ]);
    await page.getByRole('img', { name: /^rough, 1 scan$/ }).waitFor();
    const refused = await page.getByLabel('files that are not drawn').getByRole('listitem').allInnerTexts();
    expect(refused).toHaveLength(5);
    for (const [i, said] of [
      'empty.csv: no parseable spectra: ',
      'pairs.zip: no parseable spectra: it is a zip archive; unpack it first',
      'photo.jpg: no parseable spectra: .jpg is not a supported extension: a picture or print; ',
      '<img src=x onerror=planted=1>.csv: no parseable spectra: ',
      'S1.0: no parseable spectra: ',
    ].entries())
      expect(refused[i]).toContain(said);
    // As a laboratory exports them: what is no absorbance says what it looks like.
    const rows = rough[1].buffer.toString().trim().split('\n');
    const changed = (of: (x: number, y: number) => number[]) =>
      rows.map((row) => of(...(row.split(',').map(Number) as [number, number])).join(',')).join('\n');
    const ordinates = rows.map((row) => Math.round(1e6 * Number(row.split(',')[1])));
    const [first, last] = [rows[0], rows[rows.length - 1]].map((row) => Number(row.split(',')[0]));
    await field('rough').setInputFiles([
      given('S1_2.asc', rough[1].buffer),
      given('S1_3.dx', jcamp({ form: 'DIFDUP', values: ordinates, first, last })),
      given(
        'S1_4.csv',
        changed((x, y) => [x, 100 * 10 ** -y]),
      ),
      given('S1_5.csv', `Wellenlänge [nm],Extinktion\n${changed((x, y) => [1e7 / x, y])}`),
      given('S1_6.dx', jcamp({ values: ordinates, first, last, labels: { 'DATA TYPE': 'RAMAN SPECTRUM' } })),
      given('S1_7.xlsx', 'PK'),
    ]);
    await page.getByRole('img', { name: /^rough, 2 scans$/ }).waitFor();
    const foreign = await page.getByLabel('files that are not drawn').getByRole('listitem').allInnerTexts();
    expect(foreign).toEqual([
      expect.stringMatching(/^S1_4.csv: .*per-cent transmittance/),
      expect.stringMatching(/^S1_5.csv: .*line 1 .*wavelength/),
      expect.stringMatching(/^S1_6.dx: .*RAMAN/i),
      expect.stringMatching(/^S1_7.xlsx: /),
    ]);
    await field('rough').setInputFiles(Array.from({ length: 257 }, (_, i) => given(`S_${i}.csv`, 'x')));
    await page.getByText('257 files are too many: drop 256 at most.').waitFor();
    expect(await page.getByRole('img', { name: /^rough/ }).count()).toBe(0);
  });
});
