/** Each program's answer to a name of the environment that nobody reads. */
import { spawnSync } from 'node:child_process';
import { program } from './programs.js';

const SENTENCE = 'MVS_FOUR_EYE is no setting: did you mean MVS_FOUR_EYES?';
const ofBoth = { MVS_FOUR_EYES: 'yes', MVS_OPERATOR_KEYS_FILE: '/nowhere', MVS_BENCH_CLAIMS: '10' };

function started(name: 'server' | 'worker' | 'mvs', environment: Record<string, string>, ...args: string[]) {
  // A service that overlooked the name would end here too, with another sentence.
  const env = { PATH: process.env.PATH, MVS_DATA_DIR: '/proc/nowhere', ...environment };
  const { status, stdout, stderr } = spawnSync(process.execPath, [program(name), ...args], {
    env,
    encoding: 'utf8',
  });
  return { status, stdout, stderr: stderr.trim() };
}

it.each([
  ['server', 1],
  ['worker', 3],
] as const)('the %s does not start, and says so', (name, status) => {
  expect(started(name, { MVS_FOUR_EYE: 'yes' })).toEqual({ status, stdout: '', stderr: SENTENCE });
});

it('a worker takes what is meant for the service, a tool or a bench', () => {
  expect(started('worker', ofBoth)).toMatchObject({ status: 3, stderr: expect.stringMatching(/^Set REDIS_URL/) });
});

it('mvs warns and goes on', () => {
  const warned = started('mvs', { ...ofBoth, MVS_FOUR_EYE: 'yes' }, '--version');
  expect(warned).toEqual({ ...started('mvs', {}, '--version'), stderr: `mvs: ${SENTENCE}` });
  expect(warned.status).toBe(0);
});
