/**
 * The service's configuration: every environment variable it reads, with its default, its bounds and what it is for.
 * Validated once at start; a value that makes no sense or an unsafe combination does not start.
 */
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { ConfigurationError, shown } from './error.js';
import { type Limits, limits } from './limits.js';
import { readLogSecrets } from './log-secrets.js';
import { LOOPBACK, type Operator, readIssuer, readOperators, SHA256_HEX } from './operators.js';
import { STONE_PATTERNS } from './stone-patterns.js';

interface Variable<T> {
  name: string;
  fallback: string;
  read(text: string): T;
  text: string;
}

const whole = (name: string, fallback: number, least: number, most: number, text: string): Variable<number> => ({
  name,
  fallback: String(fallback),
  text,
  read(value) {
    const number = Number(value);
    if (!Number.isInteger(number) || number < least || number > most) {
      throw new ConfigurationError(`${name} must be a whole number from ${least} to ${most}, not "${value}"`);
    }
    return number;
  },
});

const word = (name: string, fallback: string, text: string): Variable<string> => ({
  name,
  fallback,
  text,
  read: (value) => value,
});

const oneOf = <T extends string>(name: string, fallback: T, values: readonly T[], text: string): Variable<T> => ({
  name,
  fallback,
  text,
  read(value) {
    const found = values.find((candidate) => candidate === value);
    if (!found) throw new ConfigurationError(`${name} must be one of ${values.join(', ')}, not "${value}"`);
    return found;
  },
});

const MiB = 1024 * 1024;

/** The callers that a replica answers: all; holders of keys and tokens; operators, for whom it holds the views. */
export const ROLES = ['all', 'claims', 'operators'] as const;
export type Role = (typeof ROLES)[number];

/** Every variable, in the order in which the documentation lists them. */
export const VARIABLES = {
  port: whole('PORT', 3000, 0, 65535, 'TCP port to serve on; 0 takes a free one'),
  host: word('HOST', '127.0.0.1', 'address to serve on; any other than a loopback one needs MVS_OPERATOR_KEYS'),
  dataDirectory: word(
    'MVS_DATA_DIR',
    'var',
    'folder of the event log and the views; one process owns it; with a SQLite log, readiness tries to write there',
  ),
  eventStoreUrl: word(
    'EVENTSTORE_URL',
    '',
    'EventStoreDB or KurrentDB (esdb://... or kurrentdb://...) as event log; unset: a SQLite log under MVS_DATA_DIR',
  ),
  logSecrets: {
    name: 'MVS_LOG_SECRET',
    fallback: '',
    read: (value: string) => readLogSecrets(value),
    text: 'secret with which every event is sealed, 32 characters or more, the same on every replica; several between commas, the newest first: new events get the newest. Unset: one is made and kept under MVS_DATA_DIR; with EVENTSTORE_URL it has to be set',
  } satisfies Variable<string[]>,
  role: oneOf<Role>(
    'MVS_ROLE',
    'all',
    ROLES,
    'claims: answers holders of keys and workspace tokens, and runs no views; operators: answers operators; all: everybody. Other than all needs EVENTSTORE_URL, and one replica of each at least',
  ),
  redisUrl: {
    name: 'REDIS_URL',
    fallback: '',
    read(value: string) {
      if (value !== '' && !(URL.canParse(value) && /^rediss?:$/.test(new URL(value).protocol))) {
        throw new ConfigurationError('REDIS_URL must read redis://host:port or rediss://host:port');
      }
      return value;
    },
    text: 'Redis (redis://... or rediss://...) with scoring workers; unset: threads of this process',
  } satisfies Variable<string>,
  shadowModel: word(
    'MVS_SHADOW_MODEL',
    '',
    'folder of a second model (model.safetensors, calibration.json), the shadow of the live one: it scores and changes no answer; workers need it too',
  ),
  lotModel: word(
    'MVS_LOT_MODEL',
    '',
    'folder of the lot model (lot-model.safetensors, measured.json); unset: the shipped one; workers need the same',
  ),
  operators: {
    name: 'MVS_OPERATOR_KEYS',
    fallback: '',
    read: readOperators,
    text: 'operators as name:sha256hex[:scope+scope],..., a scope being operate (default), audit, review or metrics; as MVS_OPERATOR_KEYS_FILE it is read again when it changes; unset: none with MVS_OIDC_ISSUER, else one is made and kept under MVS_DATA_DIR',
  } satisfies Variable<Operator[]>,
  oidcIssuer: {
    name: 'MVS_OIDC_ISSUER',
    fallback: '',
    read: readIssuer,
    text: 'OpenID Connect provider at which operators sign in, as its discovery document names itself; needs MVS_OIDC_CLIENT_ID and MVS_PUBLIC_URL; unset: operator keys alone',
  } satisfies Variable<string>,
  oidcClientId: word(
    'MVS_OIDC_CLIENT_ID',
    '',
    'the console at that provider; its redirect is MVS_PUBLIC_URL/console/signed-in',
  ),
  oidcClientSecret: word('MVS_OIDC_CLIENT_SECRET', '', 'its secret there; unset: a public client, by PKCE alone'),
  oidcAudience: word(
    'MVS_OIDC_AUDIENCE',
    '',
    'audience of access tokens that programs send as Authorization: Bearer; unset: none is taken',
  ),
  oidcRoles: word(
    'MVS_OIDC_ROLES',
    'roles',
    'claim of its tokens that holds operate, audit, review or metrics; dots lead into nested ones',
  ),
  replayToken: {
    name: 'MVS_REPLAY_TOKEN',
    fallback: '',
    read(value: string) {
      if (value !== '' && !SHA256_HEX.test(value)) {
        throw new ConfigurationError('MVS_REPLAY_TOKEN must be the SHA-256 of the token, 64 hex digits');
      }
      return value;
    },
    text: 'SHA-256 of the replay token in hex; unset: one is made and kept under MVS_DATA_DIR',
  } satisfies Variable<string>,
  fourEyes: {
    name: 'MVS_FOUR_EYES',
    fallback: 'no',
    read(value: string) {
      if (value !== 'yes' && value !== 'no')
        throw new ConfigurationError(`MVS_FOUR_EYES must be yes or no, not "${value}"`);
      return value === 'yes';
    },
    text: 'yes: an approval of a threshold needs a second named operator',
  } satisfies Variable<boolean>,
  threads: whole(
    'MVS_THREADS',
    Math.max(1, Math.min(availableParallelism(), 64)),
    1,
    256,
    'worker threads that read and encode uploads (default: one a core; two at least where workers encode)',
  ),
  maxBodyBytes: whole('MVS_MAX_BODY_BYTES', limits.claimBytes, 1024, 1024 * MiB, 'largest request body; 413 beyond'),
  maxInflightBytes: whole(
    'MVS_MAX_INFLIGHT_BYTES',
    512 * MiB,
    1024,
    64 * 1024 * MiB,
    'bodies held in memory by all requests together, shared by key; 503 beyond',
  ),
  minUploadRate: whole(
    'MVS_MIN_UPLOAD_RATE',
    4096,
    0,
    1024 * MiB,
    'bytes a second that an upload must bring, looked at every 5 s; 408 below',
  ),
  maxUnpackedBytes: whole(
    'MVS_MAX_UNPACKED_BYTES',
    limits.unpackedBytes,
    1024,
    4095 * MiB,
    'bytes of all zips of one request, unpacked',
  ),
  maxZipEntries: whole('MVS_MAX_ZIP_ENTRIES', limits.zipEntries, 1, 65535, 'entries of all zips of one side'),
  maxScanPoints: whole('MVS_MAX_SCAN_POINTS', limits.maxPoints, 671, 10_000_000, 'points of one scan'),
  maxScansPerSide: whole('MVS_MAX_SCANS_PER_SIDE', limits.fileScans, 1, 4096, 'scans of one side sent as files'),
  maxWaiting: whole(
    'MVS_MAX_WAITING',
    1024,
    1,
    1_000_000,
    'uploads that wait to be read or scored, shared by key; 503 beyond',
  ),
  requestTimeoutMs: whole(
    'MVS_MAX_REQUEST_MS',
    30_000,
    100,
    3_600_000,
    'time for one request from first byte to answer',
  ),
  stopMs: whole(
    'MVS_STOP_MS',
    30_000,
    100,
    3_600_000,
    'time for what is under way when a process is told to stop; what comes meanwhile is refused with 503',
  ),
  ratePerSecond: whole('MVS_MAX_RATE', 1000, 1, 1_000_000, 'requests a second of one API key; 429 beyond'),
  rateBurst: whole('MVS_MAX_BURST', 2000, 1, 10_000_000, 'requests one API key may send at once after a pause'),
  connectionsPerAddress: whole(
    'MVS_MAX_CONNECTIONS',
    256,
    0,
    1_000_000,
    'connections of one address (IPv6: of one /64); beyond, the one that has been idle longest is closed. 0: no bound, as behind a proxy, which is one address',
  ),
  corsOrigins: {
    name: 'MVS_CORS_ORIGINS',
    fallback: '',
    read(value: string) {
      const origins = value === '' ? [] : value.split(',').map((origin) => origin.trim());
      for (const origin of origins) {
        if (!URL.canParse(origin) || new URL(origin).origin !== origin) {
          throw new ConfigurationError(`MVS_CORS_ORIGINS must read https://host[:port],..., not "${shown(origin)}"`);
        }
      }
      return origins;
    },
    text: 'web pages, as https://host[:port],..., whose scripts may call the service; an API key in a web page is public',
  } satisfies Variable<string[]>,
  publicUrl: {
    name: 'MVS_PUBLIC_URL',
    fallback: '',
    read(value: string) {
      const fits = URL.canParse(value) && /^https?:$/.test(new URL(value).protocol) && shown(value) === value;
      if (value !== '' && !fits) {
        throw new ConfigurationError(`MVS_PUBLIC_URL must read https://host[/path], not "${shown(value)}"`);
      }
      return value.replace(/\/+$/, '');
    },
    text: 'address under which callers reach the service, as the contract names it; unset: none is named',
  } satisfies Variable<string>,
  contact: {
    name: 'MVS_CONTACT',
    fallback: '',
    read(value: string) {
      if (shown(value) !== value || (value !== '' && !URL.canParse(value) && !/^[^\s@]+@[^\s@]+$/.test(value))) {
        throw new ConfigurationError(
          `MVS_CONTACT must be a mail address or an address of a page, not "${shown(value)}"`,
        );
      }
      return value;
    },
    text: 'mail address or page of those who run the service, as the contract names it; unset: none is named',
  } satisfies Variable<string>,
  stonePatterns: STONE_PATTERNS,
  viewWaitMs: whole('MVS_MAX_VIEW_WAIT_MS', 2000, 0, 60_000, "time an operator's read waits for its view to catch up"),
  traceEndpoint: word('OTEL_EXPORTER_OTLP_ENDPOINT', '', 'OpenTelemetry collector (OTLP over HTTP); unset: no traces'),
  logLevel: oneOf(
    'MVS_LOG_LEVEL',
    'info',
    ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'],
    'least severe log line that is written',
  ),
};

/** The variables that a worker reads too. */
export const WORKER_VARIABLES = {
  redisUrl: VARIABLES.redisUrl,
  shadowModel: VARIABLES.shadowModel,
  lotModel: VARIABLES.lotModel,
  stopMs: VARIABLES.stopMs,
  traceEndpoint: VARIABLES.traceEndpoint,
  logLevel: VARIABLES.logLevel,
};

/** The variables that `mvs vendor` reads; the service never calls the vendor. */
export const VENDOR_VARIABLES = {
  url: word('MVS_VENDOR_URL', '', "address of the vendor's lookups; https, or http to a loopback address"),
  secret: word('MVS_VENDOR_KEY', '', 'secret-key that the vendor issued'),
};

/** The variables that `mvs views skip` reads beside the log's. */
export const VIEWS_VARIABLES = {
  operatorKey: word('MVS_OPERATOR_KEY', '', "an operator's key, to ask a running service with"),
};

/** The variables that `mvs events import` reads beside the log's. */
export const IMPORT_VARIABLES = {
  senderSecrets: {
    name: 'MVS_SENDER_SECRET',
    fallback: '',
    read: (value: string) => readLogSecrets(value, 'MVS_SENDER_SECRET'),
    text: 'secret of the log that an export comes from, by which its seal is checked',
  } satisfies Variable<string[]>,
};

/** The variables that the stand-in for the vendor reads. */
export const SANDBOX_VARIABLES = {
  port: whole('PORT', 3900, 0, 65535, 'TCP port to serve on'),
  catalogue: word(
    'MVS_SANDBOX_CATALOGUE',
    '',
    '.json or .csv with barcode, stoneId, provenanceId; unset: four made-up stones',
  ),
  secret: word(
    'MVS_SANDBOX_KEY',
    '',
    'secret-key that is asked for; unset: that of MVS_VENDOR_KEY, else the word sandbox',
  ),
};

type Variables = Record<string, Variable<unknown>>;
type Values<V extends Variables> = { [K in keyof V]: ReturnType<V[K]['read']> };
/** @property operatorFile of MVS_OPERATOR_KEYS_FILE; empty where the value itself is set */
export type Configuration = Values<typeof VARIABLES> & { operatorFile: string };

function fromFile(
  name: string,
  environment: Record<string, string | undefined>,
  readFile: (path: string) => string,
): string | undefined {
  const path = environment[`${name}_FILE`];
  if (!path) return undefined;
  try {
    return readFile(path);
  } catch (error) {
    throw new ConfigurationError(`${name}_FILE cannot be read: ${(error as Error).message}`);
  }
}

/** The limits for the readers of uploads. */
export const limitsOf = (configuration: Configuration): Limits => ({
  ...limits,
  claimBytes: configuration.maxBodyBytes,
  maxPoints: configuration.maxScanPoints,
  fileScans: configuration.maxScansPerSide,
  zipEntries: configuration.maxZipEntries,
  unpackedBytes: configuration.maxUnpackedBytes,
});

/**
 * Values of a set of variables. Any may be given as a file instead: NAME_FILE holds its path, as container secrets come.
 * @throws ConfigurationError with a sentence that names the variable.
 */
export function readVariables<V extends Variables>(
  variables: V,
  environment: Record<string, string | undefined>,
  readFile = (path: string) => readFileSync(path, 'utf8'),
): Values<V> {
  const entries = Object.entries(variables).map(([key, variable]) => {
    const given = environment[variable.name] || fromFile(variable.name, environment, readFile);
    return [key, variable.read(given === undefined || given.trim() === '' ? variable.fallback : given.trim())];
  });
  return Object.fromEntries(entries);
}

/** The service's configuration. @throws ConfigurationError as `readVariables`, and where the combination is unsafe */
export function readConfiguration(
  environment: Record<string, string | undefined>,
  readFile?: (path: string) => string,
): Configuration {
  const given = environment[VARIABLES.operators.name];
  const operatorFile = given ? '' : (environment[`${VARIABLES.operators.name}_FILE`] ?? '');
  const configuration = { ...readVariables(VARIABLES, environment, readFile), operatorFile };
  const { oidcIssuer, oidcClientId, publicUrl } = configuration;
  if (oidcIssuer && !(oidcClientId && publicUrl))
    throw new ConfigurationError(
      'MVS_OIDC_ISSUER needs MVS_OIDC_CLIENT_ID, and MVS_PUBLIC_URL, to which the browser comes back',
    );
  if (configuration.operators.some(({ sha256 }) => sha256 === configuration.replayToken)) {
    throw new ConfigurationError('MVS_REPLAY_TOKEN is the key of an operator: give it a secret of its own');
  }
  if (!LOOPBACK.test(configuration.host) && configuration.operators.length === 0 && !oidcIssuer) {
    throw new ConfigurationError(
      `HOST=${configuration.host} is a public address: set MVS_OPERATOR_KEYS, as keys kept beside the data do not serve one`,
    );
  }
  if (configuration.eventStoreUrl && configuration.logSecrets.length === 0) {
    throw new ConfigurationError(
      'EVENTSTORE_URL needs MVS_LOG_SECRET, with which events are sealed: make one with openssl rand -base64 32, and give ' +
        'every replica the same',
    );
  }
  if (configuration.role !== 'all' && !configuration.eventStoreUrl) {
    throw new ConfigurationError(
      `MVS_ROLE=${configuration.role} needs EVENTSTORE_URL: a SQLite log belongs to one process, which has to answer everybody`,
    );
  }
  return configuration;
}
