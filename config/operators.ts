/** Operators by configuration: who they are, the SHA-256 of their keys, and what their keys are for. */
import { ConfigurationError } from './error.js';

/** `operate` includes the others; `audit` reads; `review` reads and notes reviews; `metrics` reads the metrics alone. */
export const SCOPES = ['operate', 'audit', 'review', 'metrics'] as const;
export type Scope = (typeof SCOPES)[number];

export interface Operator {
  name: string;
  /** SHA-256 of the key, 64 hex digits; never the key. */
  sha256: string;
  scopes: readonly Scope[];
}

export const LOOPBACK = /^(127[.][0-9.]+|::1|localhost)$/;
export const SHA256_HEX = /^[0-9a-f]{64}$/;

export const mayUse = ({ scopes }: Pick<Operator, 'scopes'>, scope: Scope): boolean =>
  scopes.includes('operate') || scopes.includes(scope) || (scope === 'audit' && scopes.includes('review'));

const MAX_CHARACTERS = 64;
const UNSEEN = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/u;
/** Alphabets whose letters look like one another's. */
const ALPHABETS = ['Latin', 'Greek', 'Cyrillic', 'Armenian', 'Coptic', 'Cherokee', 'Lisu'].map(
  (script): [string, RegExp] => [script, new RegExp(`\\p{Script=${script}}`, 'u')],
);

/** @throws ConfigurationError where the address of an identity provider is none, or tokens would cross a network in the clear */
export function readIssuer(value: string): string {
  const url = URL.canParse(value) ? new URL(value) : undefined;
  const safe = url?.protocol === 'https:' || (url?.protocol === 'http:' && LOOPBACK.test(url.hostname));
  if (value !== '' && (!safe || url?.search || url?.hash))
    throw new ConfigurationError(`MVS_OIDC_ISSUER must read https://host[/path], not "${value}"`);
  return value;
}

/** A text as one line of characters that can be seen, each an item. */
export const visible = (text: string): string[] => [
  ...text.normalize('NFC').replace(new RegExp(UNSEEN, 'gu'), ' ').replace(/\s+/gu, ' ').trim(),
];

/** @throws ConfigurationError for what is malformed, doubled, or could be taken for another operator */
export function readOperators(value: string): Operator[] {
  if (value === '') return [];
  const operators = value.split(',').map(readOperator);
  const names = new Map<string, string>();
  const hashes = new Map<string, string>();
  for (const { name, sha256 } of operators) {
    const alike = names.get(likeness(name));
    if (alike === name) throw new ConfigurationError('MVS_OPERATOR_KEYS names an operator twice');
    if (alike) throw new ConfigurationError(`MVS_OPERATOR_KEYS: the names ${alike} and ${name} can be confused`);
    names.set(likeness(name), name);
    const same = hashes.get(sha256);
    if (same) throw new ConfigurationError(`MVS_OPERATOR_KEYS: ${same} and ${name} have the same key`);
    hashes.set(sha256, name);
  }
  const alphabets = ALPHABETS.filter(([, letter]) => operators.some(({ name }) => letter.test(name)));
  if (alphabets.length > 1) {
    const found = alphabets.map(([script]) => script).join(' and ');
    throw new ConfigurationError(`MVS_OPERATOR_KEYS: names in letters of ${found} can be confused; use one alphabet`);
  }
  return operators;
}

function readOperator(entry: string): Operator {
  const [written, sha256, scopes = 'operate', ...rest] = entry.trim().split(':');
  const name = written.normalize('NFC').trim();
  if (name === '' || rest.length > 0 || !SHA256_HEX.test(sha256 ?? '')) {
    throw new ConfigurationError('MVS_OPERATOR_KEYS must read name:sha256hex[:scope+scope],...');
  }
  if (UNSEEN.test(name) || name.length > MAX_CHARACTERS) {
    throw new ConfigurationError(
      `MVS_OPERATOR_KEYS: a name must be 1 to ${MAX_CHARACTERS} visible characters, not ${JSON.stringify(name)}`,
    );
  }
  const granted = scopes.split('+').map((text) => {
    const scope = SCOPES.find((known) => known === text);
    if (scope) return scope;
    throw new ConfigurationError(`MVS_OPERATOR_KEYS: a scope of ${name} must be one of ${SCOPES.join(', ')}`);
  });
  return { name, sha256, scopes: granted };
}

/** The same for names that look the same: width, capitals, blanks, and 0, 1, I, l, | set aside. */
const likeness = (name: string): string =>
  name
    .normalize('NFKC')
    .toLowerCase()
    .normalize('NFKC')
    .replace(/\s+/gu, ' ')
    .replace(/[1i|\u0131]/gu, 'l')
    .replaceAll('0', 'o');
