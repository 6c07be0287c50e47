import { Repeats } from './repeats.js';

let clock = 0;
let made = 0;
const make = async () => `key ${++made}`;
beforeEach(() => {
  clock = 0;
  made = 0;
});

describe('an answer that may be asked for once more', () => {
  const repeats = () => new Repeats<string>(() => clock);

  it('is the same within ten minutes, at the same instant too, and another one after them', async () => {
    const of = repeats();
    const both = await Promise.all([of.once('anna 1', { name: 'a' }, make), of.once('anna 1', { name: 'a' }, make)]);
    clock = 599_999;
    expect([...both, await of.once('anna 1', { name: 'a' }, make)]).toEqual(['key 1', 'key 1', 'key 1']);
    clock = 600_000;
    expect(await of.once('anna 1', { name: 'a' }, make)).toBe('key 2');
  });

  it('is refused to another wish, and made anew for another operator', async () => {
    const of = repeats();
    await of.once('anna 1', { name: 'a' }, make);
    expect(() => of.once('anna 1', { name: 'b' }, make)).toThrow(/another body/);
    expect(await of.once('ben 1', { name: 'a' }, make)).toBe('key 2');
  });

  it('is not kept where making it failed', async () => {
    const of = repeats();
    await expect(of.once('anna 1', {}, () => Promise.reject(new Error('away')))).rejects.toThrow('away');
    expect(await of.once('anna 1', {}, make)).toBe('key 1');
  });

  it('goes where a thousand newer ones came', async () => {
    const of = repeats();
    for (let i = 0; i <= 1000; i++) await of.once(`anna ${i}`, {}, make);
    expect(await of.once('anna 0', {}, make)).toBe('key 1002');
    expect(await of.once('anna 1000', {}, make)).toBe('key 1001');
  });
});
