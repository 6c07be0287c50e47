import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  IMPORT_VARIABLES,
  SANDBOX_VARIABLES,
  VARIABLES,
  VENDOR_VARIABLES,
  VIEWS_VARIABLES,
  WORKER_VARIABLES,
} from './environment.js';
import { KNOWN_NAMES, OTHER_NAMES, refuseUnknownNames, unknownNames } from './names.js';

describe('a name of the environment', () => {
  it.each([
    ['MVS_FOUR_EYE', 'MVS_FOUR_EYES'],
    ['MVS_FOUREYES', 'MVS_FOUR_EYES'],
    ['MVS_OPERATORS_KEYS_FILE', 'MVS_OPERATOR_KEYS_FILE'],
    ['MVS_MAX_BODY', 'MVS_MAX_BODY_BYTES'],
    ['MVS_four_eyes', 'MVS_FOUR_EYES'],
    ['MVS_PORT', 'PORT'],
  ])('%s is told with the nearest known one, %s, and without its value', (name, known) => {
    const sentences = unknownNames({ [name]: 'a secret', MVS_THREADS: '2' });
    expect(sentences).toEqual([`${name} is no setting: did you mean ${known}?`]);
    expect(() => refuseUnknownNames({ [name]: 'a secret' })).toThrow(sentences[0]);
  });

  it('is escaped where it cannot be printed', () => {
    expect(unknownNames({ 'MVS_\u001b[2J': '' })[0]).toMatch(/^MVS_\\u001b\[2J is no setting/);
  });

  it('may be of another program of the project, of a file, or of somebody else', () => {
    const environment = Object.fromEntries(KNOWN_NAMES.map((name) => [name, '']));
    expect(unknownNames({ ...environment, PATH: '/bin', MVSOTHER: '1', MY_MVS_X: '1' })).toEqual([]);
  });

  it('may be what Kubernetes makes of a service with this name, and only then', () => {
    const made = {
      MVS_API_PORT: 'tcp://10.0.0.1:80',
      MVS_API_PORT_80_TCP_ADDR: '10.0.0.1',
      MVS_API_SERVICE_PORT: '80',
    };
    expect(unknownNames({ ...made, MVS_API_SERVICE_HOST: '10.0.0.1' })).toEqual([]);
    expect(unknownNames({ MVS_PORT: '3000' })).toHaveLength(1);
  });
});

describe('the list of names', () => {
  const spoken = /\bMVS_[A-Z]+(?:_[A-Z]+)*\b/g;
  const files = (folder: string): string[] =>
    readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
      const path = join(folder, entry.name);
      if (/^(node_modules|dist|var|golden|CHANGELOG.md|names[.].*|[.]git)$/.test(entry.name)) return [];
      if (entry.isDirectory()) return files(path);
      return /[.](ts|mjs|py|md|yml|zsh)$|^run$/.test(entry.name) ? [path] : [];
    });
  const texts = files('.').map((path) => ({ path, text: readFileSync(path, 'utf8') }));

  it('holds every name that a source or a page speaks of', () => {
    const strange = texts.flatMap(({ path, text }) =>
      [...text.matchAll(spoken)].flatMap(([name]) =>
        KNOWN_NAMES.includes(name) || UNKNOWN_ON_PURPOSE.includes(name) ? [] : [`${path}: ${name}`],
      ),
    );
    expect(texts.length).toBeGreaterThan(500);
    expect(strange).toEqual([]);
  });

  it('holds none that no source reads', () => {
    const read = texts.filter(({ path }) => /[.](ts|mjs|py)$|run$/.test(path)).map(({ text }) => text);
    expect(OTHER_NAMES.filter((name) => !read.some((text) => text.includes(name)))).toEqual([]);
  });
});

/** A setting is read by its member: `configuration.port`, or `{ port } = configuration`. */
describe('every setting is read by a program', () => {
  const sources = ['apps', 'libs', 'config', 'tools/vendor-sandbox']
    .flatMap((top) => readdirSync(top, { recursive: true, encoding: 'utf8' }).map((name) => join(top, name)))
    .filter((name) => name.endsWith('.ts') && !/[.]spec[.]|[\\/]test[\\/]/.test(name))
    .map((name) => readFileSync(name, 'utf8'));

  it.each([
    ['VARIABLES', VARIABLES, 'configuration', 'Configuration'],
    ['WORKER_VARIABLES', WORKER_VARIABLES, 'readSettings\\(\\)', 'WorkerSettings'],
    ['VENDOR_VARIABLES', VENDOR_VARIABLES, 'readVariables\\(VENDOR_VARIABLES, io\\(\\)[.]env\\)', ''],
    ['VIEWS_VARIABLES', VIEWS_VARIABLES, 'readVariables\\(VIEWS_VARIABLES, io\\(\\)[.]env\\)', ''],
    ['IMPORT_VARIABLES', IMPORT_VARIABLES, 'readVariables\\(IMPORT_VARIABLES, io\\(\\)[.]env\\)', ''],
    ['SANDBOX_VARIABLES', SANDBOX_VARIABLES, 'readVariables\\(SANDBOX_VARIABLES, process[.]env\\)', ''],
  ])('of %s', (_, variables, value, type) => {
    const isRead = (key: string) => {
      const taken = `[{][^{}]*\\b${key}\\b[^{}]*[}](: ${type || '-'}\\b| = ([\\w.]*[.])?${value})`;
      const pattern = new RegExp(`\\b${value}[.]${key}\\b|${taken}`);
      return sources.some((text) => pattern.test(text));
    };
    expect(Object.keys(variables).filter((key) => !isRead(key))).toEqual([]);
    expect(isRead('nothing')).toBe(false);
  });
});

/** Written in tests and pages as examples of a slip. */
const UNKNOWN_ON_PURPOSE = ['MVS_FOUR_EYE'];
