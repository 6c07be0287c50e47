/**
 * Names of the environment: a name of the project's own that no program reads is a slip, and what it was to set, as a second
 * pair of eyes on approvals, would silently not be set.
 */
import leven from 'leven';
import { IMPORT_VARIABLES, SANDBOX_VARIABLES, VARIABLES, VENDOR_VARIABLES, VIEWS_VARIABLES } from './environment.js';
import { ConfigurationError } from './error.js';

const OURS = 'MVS_';

/** Read as they stand, without a file of their own: by tests, benches and the demonstration of `npm start`. */
export const OTHER_NAMES = [
  'MVS_BENCH_BESIDE',
  'MVS_BENCH_CLAIMS',
  'MVS_BENCH_DIR',
  'MVS_BENCH_ROUNDS',
  'MVS_BENCH_SEED',
  'MVS_BENCH_VICTIMS',
  'MVS_DEMO_KEY',
  'MVS_SAMPLE_KEY',
  'MVS_PEER_DIR',
  'MVS_REQUIRE_SERVICES',
  'MVS_SHARED_DATA',
  'MVS_TEST_EVENTSTORE_RESTART',
  'MVS_TEST_EVENTSTORE_URL',
  'MVS_TEST_PICTURES',
  'MVS_TEST_STOPS',
  'MVS_TEST_WORLDS',
] as const;

const ALL_SETTINGS: readonly string[] = [
  VARIABLES,
  VENDOR_VARIABLES,
  VIEWS_VARIABLES,
  IMPORT_VARIABLES,
  SANDBOX_VARIABLES,
]
  .flatMap((variables) => Object.values(variables))
  .map(({ name }) => name);
const SETTINGS = ALL_SETTINGS.filter((name) => name.startsWith(OURS));

/** Every name of the project's own that any of its programs, tests or benches reads: api and worker may share them all. */
export const KNOWN_NAMES: readonly string[] = [
  ...new Set([...SETTINGS.flatMap((name) => [name, `${name}_FILE`]), ...OTHER_NAMES]),
];

/** Variables that Kubernetes puts into every container for a service of this name, after MVS or MVS_SOMETHING. */
const OF_KUBERNETES = /_(SERVICE_HOST|SERVICE_PORT(_\w+)?|PORT(_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)?)$/;

function ofKubernetes(name: string, environment: Record<string, string | undefined>): boolean {
  const service = name.replace(OF_KUBERNETES, '');
  return service !== name && `${service}_SERVICE_HOST` in environment;
}

/** A sentence for each name of the project's own that no program reads, with the known one nearest to it. No value is told. */
export function unknownNames(environment: Record<string, string | undefined>): string[] {
  const known = new Set(KNOWN_NAMES);
  return Object.keys(environment)
    .filter((name) => name.startsWith(OURS) && !known.has(name) && !ofKubernetes(name, environment))
    .map((name) => `${JSON.stringify(name).slice(1, -1)} is no setting: did you mean ${nearest(name)}?`);
}

function nearest(name: string): string {
  const written = name.toUpperCase();
  const withoutOurs = written.slice(OURS.length);
  if (ALL_SETTINGS.includes(withoutOurs)) return withoutOurs;
  // One that goes on where this one stops is nearer than any other of its length.
  const distance = (known: string) => (known.startsWith(written) ? 1 : leven(written, known));
  return KNOWN_NAMES.reduce((best, known) => (distance(known) < distance(best) ? known : best));
}

/** @throws ConfigurationError where the environment holds a name that `unknownNames` tells of */
export function refuseUnknownNames(environment: Record<string, string | undefined>): void {
  const sentences = unknownNames(environment);
  if (sentences.length > 0) throw new ConfigurationError(sentences.join(' '));
}
