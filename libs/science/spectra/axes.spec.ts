import { keptAxis, perAxis } from './axes.js';

const axis = (first: number) => Float64Array.from({ length: 60 }, (_, i) => first + 8 * i);

describe('kept axes', () => {
  it('are known again by their numbers, and not changed by whoever sent them', () => {
    const sent = axis(500);
    const kept = keptAxis(sent);
    sent.fill(0);
    expect(kept).toEqual(axis(500));
    expect(keptAxis(axis(500))).toBe(kept);
    expect(keptAxis(kept)).toBe(kept);
    expect(keptAxis(axis(501))).toEqual(axis(501));
  });

  it('are let go when others come, the latest last', () => {
    const first = keptAxis(axis(1000));
    for (let i = 1; i < 8; i++) keptAxis(axis(1000 + i));
    expect(keptAxis(axis(1000))).toBe(first);
    for (let i = 1; i <= 8; i++) keptAxis(axis(2000 + i));
    expect(keptAxis(axis(1000))).not.toBe(first);
  });

  it('are worked on once; any other axis each time', () => {
    let times = 0;
    const last = perAxis((numbers) => {
      times++;
      return numbers[numbers.length - 1];
    });
    const other = axis(700);
    expect([last(keptAxis(other)), last(keptAxis(other))]).toEqual([1172, 1172]);
    expect(times).toBe(1);
    last(other);
    other[59] = 3;
    expect(last(other)).toBe(3);
    expect(times).toBe(3);
  });
});
