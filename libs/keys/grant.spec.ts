import { StoreUnavailable } from '#kit/log/port';
import { Grant } from './grant.js';

afterEach(() => {
  jest.restoreAllMocks();
});

/** A grant on a clock that the test moves, of a key that can be revoked. */
function grantOf(shared: boolean, askTakes = 0) {
  const clock = { now: 0 };
  jest.spyOn(performance, 'now').mockImplementation(() => clock.now);
  const key = { asked: 0, revoked: false };
  const requireActive = async () => {
    key.asked++;
    clock.now += askTakes;
    if (key.revoked) throw new Error('revoked');
  };
  const grant = new Grant(requireActive, shared);
  const work = (takes: number) => async () => {
    clock.now += takes;
    return 'stored';
  };
  const store = async (append: () => Promise<string>) => {
    await grant.toStore();
    const stored = await append();
    await grant.toAnswer();
    return stored;
  };
  return { grant, store, key, clock, work };
}

it('asks once for what is stored and answered in time', async () => {
  const { grant, store, key, work } = grantOf(true);
  await grant.ask();
  expect(await store(work(4_000))).toBe('stored');
  expect(key.asked).toBe(1);
});

it('asks again before what is stored late, and does not store it once the key is revoked', async () => {
  const { grant, store, key, clock, work } = grantOf(true);
  await grant.ask();
  clock.now += 3_001;
  expect(await store(work(0))).toBe('stored');
  expect(key.asked).toBe(2);
  clock.now += 3_001;
  key.revoked = true;
  const never = jest.fn(work(0));
  await expect(store(never)).rejects.toThrow('revoked');
  expect(never).not.toHaveBeenCalled();
});

it('asks again before what is answered late, and does not answer it once the key is revoked', async () => {
  const { grant, store, key, work } = grantOf(true);
  await grant.ask();
  key.revoked = true;
  await expect(store(work(4_501))).rejects.toThrow('revoked');
});

it('gives up where the log takes too long to say', async () => {
  const { grant, store, work } = grantOf(true, 3_001);
  await grant.ask();
  await expect(store(work(0))).rejects.toBeInstanceOf(StoreUnavailable);
});

it('needs no clock where no other replica can revoke', async () => {
  const { grant, store, key, clock, work } = grantOf(false);
  await grant.ask();
  clock.now += 60_000;
  expect(await store(work(60_000))).toBe('stored');
  expect(key.asked).toBe(1);
});
