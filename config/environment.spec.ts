import { describe, expect, it } from '@jest/globals';
import { readConfiguration, VARIABLES } from './environment.js';

const HASH = 'a'.repeat(64);

describe('configuration', () => {
  it('has a default for everything', () => {
    const configuration = readConfiguration({});
    expect(configuration).toMatchObject({ port: 3000, host: '127.0.0.1', dataDirectory: 'var', operators: [] });
    expect(configuration.maxBodyBytes).toBe(64 * 1024 * 1024);
  });

  it('takes blank values for unset', () => {
    expect(readConfiguration({ PORT: ' ' }).port).toBe(3000);
  });

  it('reads named operators', () => {
    expect(readConfiguration({ MVS_OPERATOR_KEYS: `anna:${HASH}, ben:${'b'.repeat(64)}` }).operators).toEqual([
      { name: 'anna', sha256: HASH },
      { name: 'ben', sha256: 'b'.repeat(64) },
    ]);
  });

  it.each([
    [{ PORT: 'eighty' }, /PORT/],
    [{ PORT: '70000' }, /PORT/],
    [{ PORT: '80.5' }, /PORT/],
    [{ MVS_OPERATOR_KEYS: 'anna:secret' }, /MVS_OPERATOR_KEYS/],
    [{ MVS_OPERATOR_KEYS: `anna:${HASH},anna:${HASH}` }, /twice/],
    [{ MVS_REPLAY_TOKEN: 'plain' }, /MVS_REPLAY_TOKEN/],
    [{ MVS_MAX_BODY_BYTES: '-1' }, /MVS_MAX_BODY_BYTES/],
    [{ MVS_LOG_LEVEL: 'loud' }, /MVS_LOG_LEVEL/],
    [{ HOST: '0.0.0.0' }, /MVS_OPERATOR_KEYS/],
    [{ HOST: '::' }, /MVS_OPERATOR_KEYS/],
  ])('refuses %j', (environment, message) => {
    expect(() => readConfiguration(environment)).toThrow(message);
  });

  it('serves a public address with configured operators', () => {
    expect(readConfiguration({ HOST: '0.0.0.0', MVS_OPERATOR_KEYS: `anna:${HASH}` }).host).toBe('0.0.0.0');
  });

  it('names each variable once', () => {
    const names = Object.values(VARIABLES).map((variable) => variable.name);
    expect(new Set(names).size).toBe(names.length);
  });
});

it('reads a variable from the file that NAME_FILE names, and says where it cannot', () => {
  const hash = 'a'.repeat(64);
  const files: Record<string, string> = { '/run/secrets/operators': `olga:${hash}\n` };
  const readFile = (path: string) => {
    if (!(path in files)) throw new Error('no such file');
    return files[path];
  };
  const read = (path: string) => readConfiguration({ HOST: '0.0.0.0', MVS_OPERATOR_KEYS_FILE: path }, readFile);
  expect(read('/run/secrets/operators').operators).toEqual([{ name: 'olga', sha256: hash }]);
  expect(() => read('/elsewhere')).toThrow('MVS_OPERATOR_KEYS_FILE cannot be read: no such file');
});
