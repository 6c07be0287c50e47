import { Calibrations, type CalibrationsDependencies } from './calibrations.js';

describe('a history whose audit root takes long', () => {
  it('is refused until the root is made, which is made once', async () => {
    let made = (_root: string) => {};
    const auditRoot = jest.fn(() => new Promise<string>((resolve) => (made = resolve)));
    const calibrations = new Calibrations({
      store: { readStream: async () => [] },
      models: { liveDigest: async () => 'm', liveAt: async () => 'm', find: () => undefined },
      now: () => new Date(),
      auditRoot,
    } as unknown as CalibrationsDependencies);
    const refusal = expect.objectContaining({ reason: 'behind', retryAfterSeconds: 30 });
    jest.useFakeTimers();
    for (let asked = 0; asked < 2; asked++) {
      const refused = expect(calibrations.history('lab')).rejects.toEqual(refusal);
      for (let turn = 0; turn < 100; turn++) await Promise.resolve();
      jest.advanceTimersByTime(20_000);
      await refused;
    }
    jest.useRealTimers();
    // What it was at a time has no root.
    expect((await calibrations.history('lab', new Date())).audit_root).toBeNull();
    made('root');
    const { audit_root, rungs } = await calibrations.history('lab');
    expect([audit_root, rungs]).toEqual(['root', []]);
    expect(auditRoot).toHaveBeenCalledTimes(1);
  });
});
