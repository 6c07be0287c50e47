import { hostileRequest, makeMaterial } from './requests.js';

it('sends the same requests for a seed on every run', async () => {
  const [one, two] = [await makeMaterial(1), await makeMaterial(1)];
  for (let n = 0; n < 200; n++) {
    const [a, b] = [hostileRequest(1, n, one, 'key'), hostileRequest(1, n, two, 'key')];
    expect([b.kind, b.delivery]).toEqual([a.kind, a.delivery]);
    // A zip names the time of its packing.
    if (!a.bytes.includes('.zip')) expect(a.bytes.equals(b.bytes)).toBe(true);
  }
});
