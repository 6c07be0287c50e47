import { shortOfDescriptors } from './descriptors.js';
import { canLimit, ServingProcess } from './test/process.js';

const limits = (soft: string) =>
  `Limit                     Soft Limit           Hard Limit           Units     \nMax open files            ${soft}                 4096                 files     \n`;

it.each([
  ['1024', 256, undefined],
  ['356', 256, undefined],
  [
    '355',
    256,
    {
      descriptors: 355,
      needed: 356,
      fix: 'allow more (ulimit -n 356; systemd: LimitNOFILE), or set MVS_MAX_CONNECTIONS=255',
    },
  ],
  ['64', 256, { descriptors: 64, needed: 356, fix: 'allow more (ulimit -n 356; systemd: LimitNOFILE)' }],
  ['1024', 0, { descriptors: 1024, needed: 1124, fix: 'allow more (ulimit -n 1124; systemd: LimitNOFILE)' }],
  ['unlimited', 0, undefined],
])('%s descriptors for %i connections', (soft, connectionsPerAddress, said) => {
  expect(shortOfDescriptors(limits(soft), { connectionsPerAddress })).toEqual(said);
});

it('says nothing where the system does not tell', () => {
  expect(shortOfDescriptors('', { connectionsPerAddress: 256 })).toBeUndefined();
});

(canLimit ? it : it.skip)('is said in the log at the start, and the service serves', async () => {
  const serving = await ServingProcess.start({ wrap: ['prlimit', '--nofile=300:300'] });
  try {
    const line = serving.lines.find((one) => one.includes('"alarm":"descriptors"'));
    expect(JSON.parse(line ?? '{}')).toMatchObject({
      descriptors: 300,
      needed: 356,
      fix: expect.stringContaining('MVS_MAX_CONNECTIONS=200'),
    });
  } finally {
    await serving.remove();
  }
});
