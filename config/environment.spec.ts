import { ROLES, readConfiguration, VARIABLES } from './environment.js';
import { mayUse, SCOPES } from './operators.js';

const HASH = 'a'.repeat(64);

const LOG_SECRET = 'abcdefghijklmnopqrstuvwxyz012345';

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
      { name: 'anna', sha256: HASH, scopes: ['operate'] },
      { name: 'ben', sha256: 'b'.repeat(64), scopes: ['operate'] },
    ]);
  });

  it('reads what their keys are for', () => {
    const { operators } = readConfiguration({
      MVS_OPERATOR_KEYS: `anna:${HASH}:operate,auditor:${'b'.repeat(64)}:audit+metrics,rita:${'c'.repeat(64)}:review`,
    });
    const allowed = operators.map((one) => SCOPES.filter((scope) => mayUse(one, scope)));
    expect(allowed).toEqual([
      ['operate', 'audit', 'review', 'metrics'],
      ['audit', 'metrics'],
      ['audit', 'review'],
    ]);
  });

  it.each([
    [{ PORT: 'eighty' }, /PORT/],
    [{ MVS_OIDC_ISSUER: 'http://idp.example', MVS_OIDC_CLIENT_ID: 'x' }, /MVS_OIDC_ISSUER must read https/],
    [{ MVS_OIDC_ISSUER: 'https://idp.example', MVS_OIDC_CLIENT_ID: 'x' }, /MVS_PUBLIC_URL/],
    [{ PORT: '70000' }, /PORT/],
    [{ PORT: '80.5' }, /PORT/],
    [{ MVS_PUBLIC_URL: 'match.example' }, /MVS_PUBLIC_URL must read https/],
    [{ MVS_CONTACT: 'the operator' }, /MVS_CONTACT must be/],
    [{ MVS_OPERATOR_KEYS: 'anna:secret' }, /MVS_OPERATOR_KEYS/],
    [{ MVS_OPERATOR_KEYS: `anna:${HASH},anna:${HASH}` }, /twice/],
    [{ MVS_OPERATOR_KEYS: `anna:${HASH}:root` }, /scope of anna/],
    [{ MVS_OPERATOR_KEYS: `anna:${HASH}:` }, /scope of anna/],
    [{ MVS_OPERATOR_KEYS: `anna:${HASH}:audit:operate` }, /must read/],
    [{ MVS_OPERATOR_KEYS: `anna:${HASH},ben:${HASH}` }, /anna and ben have the same key/],
    [{ MVS_OPERATOR_KEYS: `an\u200bna:${HASH}` }, /visible/],
    [{ MVS_OPERATOR_KEYS: `\u3164:${HASH}` }, /visible/],
    [{ MVS_OPERATOR_KEYS: `${'a'.repeat(65)}:${HASH}` }, /visible/],
    ...[
      ['anna', 'Anna'],
      ['anna', '\uff41nna'],
      ['zoe\u0301', 'zo\u00e9'],
      ['olga1', 'olgaI'],
      ['o\u00a0b', 'o b'],
      ['olga', '\u043elga'],
      ['cope', '\u0441\u043e\u0440\u0435'],
    ].map(([one, other]): [Record<string, string>, RegExp] => [
      { MVS_OPERATOR_KEYS: `${one}:${HASH},${other}:${'b'.repeat(64)}` },
      /confused|twice/,
    ]),
    [{ MVS_OPERATOR_KEYS: `anna:${HASH}`, MVS_REPLAY_TOKEN: HASH }, /MVS_REPLAY_TOKEN is the key of an operator/],
    [{ MVS_REPLAY_TOKEN: 'plain' }, /MVS_REPLAY_TOKEN/],
    [{ EVENTSTORE_URL: 'esdb://store:2113' }, /EVENTSTORE_URL needs MVS_LOG_SECRET/],
    [{ MVS_LOG_SECRET: LOG_SECRET.slice(0, 31) }, /MVS_LOG_SECRET: a secret has 32 characters or more, not 31/],
    [{ MVS_LOG_SECRET: `${LOG_SECRET},short` }, /MVS_LOG_SECRET, secret 2 of 2: .* not 5/],
    [{ MVS_LOG_SECRET: `${LOG_SECRET}, ${LOG_SECRET}` }, /holds a secret twice/],
    [{ MVS_LOG_SECRET: 'a'.repeat(64) }, /so few different characters/],
    [{ MVS_LOG_SECRET: `${LOG_SECRET} and more` }, /printable ASCII characters without blanks/],
    [{ MVS_MAX_BODY_BYTES: '-1' }, /MVS_MAX_BODY_BYTES/],
    [{ MVS_LOG_LEVEL: 'loud' }, /MVS_LOG_LEVEL/],
    [{ HOST: '0.0.0.0' }, /MVS_OPERATOR_KEYS/],
    [{ HOST: '::' }, /MVS_OPERATOR_KEYS/],
  ])('refuses %j', (environment, message) => {
    expect(() => readConfiguration(environment)).toThrow(message);
  });

  it('knows the roles of replicas, and that a SQLite log has one replica for all', () => {
    const eventStore = { EVENTSTORE_URL: 'esdb://store:2113', MVS_LOG_SECRET: LOG_SECRET };
    expect(readConfiguration({}).role).toBe('all');
    for (const role of ROLES) expect(readConfiguration({ ...eventStore, MVS_ROLE: role })).toMatchObject({ role });
    expect(() => readConfiguration({ ...eventStore, MVS_ROLE: 'claim' })).toThrow(
      'MVS_ROLE must be one of all, claims, operators, not "claim"',
    );
    expect(() => readConfiguration({ MVS_ROLE: 'claims' })).toThrow('MVS_ROLE=claims needs EVENTSTORE_URL');
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
  expect(read('/run/secrets/operators').operators).toEqual([{ name: 'olga', sha256: hash, scopes: ['operate'] }]);
  // Empty is as if it were not there: one compose file takes back what another one sets.
  const empty = { HOST: '0.0.0.0', MVS_OPERATOR_KEYS: '', MVS_OPERATOR_KEYS_FILE: '/secret' };
  expect(readConfiguration(empty, () => `anna:${hash}`).operators).toHaveLength(1);
  expect(() => read('/elsewhere')).toThrow('MVS_OPERATOR_KEYS_FILE cannot be read: no such file');
});
