import { BodyRefusalPace, RefusalPace } from './refusal-pace.js';

describe('refusals of wrong credentials', () => {
  it('are answered at once while they are few; each beyond waits, and after a pause they are answered at once again', async () => {
    let now = 0;
    let waited = 0;
    const pace = new RefusalPace(
      () => now,
      async () => waited++,
    );
    const turns = async (count: number) => {
      for (let n = 0; n < count; n++) await pace.turn();
    };
    await turns(100);
    expect(waited).toBe(0);
    await turns(30);
    expect(waited).toBe(30);
    now += 1_000;
    await turns(50);
    expect(waited).toBe(30);
    await turns(1);
    expect(waited).toBe(31);
  });
});

it('refusals of long bodies wait for the caller who has many, and for no other', async () => {
  let now = 0;
  let waited = 0;
  const pace = new BodyRefusalPace(
    () => now,
    async () => {
      waited++;
      now += 100;
    },
  );
  for (let n = 0; n < 20; n++) await pace.turn('many');
  expect(waited).toBe(0);
  for (let n = 0; n < 10; n++) await pace.turn('many');
  expect([waited, now]).toEqual([20, 2_000]);
  await pace.turn('another');
  expect(waited).toBe(20);
});
