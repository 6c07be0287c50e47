/** Starts the service as a program: environment in, one sentence where it cannot start, an orderly end on a signal. */
import { parseArgs } from 'node:util';
import pino, { type Logger } from 'pino';
import { type Configuration, readConfiguration } from '#config/environment';
import { ConfigurationError } from '#config/error';
import { refuseUnknownNames } from '#config/names';
import { packageVersion } from '#config/version';
import { LogCorrupt, LogInUse, LogLoss, StoreUnavailable } from '#kit/log/port';
import { standardOutput } from '#kit/observe/log-output';
import { ModelFileError } from '#science/matching/safetensors';
import { Refusal } from '#science/spectra/refusal';
import { readable } from './readable-log.js';
import { type Service, type ServiceOptions, startService } from './service.js';

/** What is under way has MVS_STOP_MS; then the log, the queue and the views are closed within this time, else cut off. */
const CLOSING_MS = 5000;

/** Exit codes: it could not start; the log lacks events that were acknowledged, and another try changes nothing. */
const EXIT = { notStarted: 1, logLoss: 5 } as const;

const HELP = `Serves what the environment configures (docs/reference/configuration.md).

Options:
  --accept-loss REASON  go on, this once, with a log that lacks events that were acknowledged; the reason is recorded
  --help                this text

Exit codes:
  0  stopped by SIGINT, SIGTERM or SIGHUP: what was under way was answered, within MVS_STOP_MS
  ${EXIT.notStarted}  not started, or not stopped in time: the last line says why
  ${EXIT.logLoss}  the log lacks events that were acknowledged: bring it back, or start once with --accept-loss`;

export interface RunOptions extends Pick<ServiceOptions, 'modelFolders' | 'engine' | 'checksLog'> {
  /** Used if the environment names none. */
  logLevel?: Configuration['logLevel'];
  /** The words of the command line behind the program. */
  args?: readonly string[];
}

/** @throws ConfigurationError */
function optionsIn(args: readonly string[]): { acceptLoss?: string } {
  const options = { 'accept-loss': { type: 'string' }, help: { type: 'boolean' } } as const;
  let given: { 'accept-loss'?: string; help?: boolean };
  try {
    given = parseArgs({ args: [...args], options }).values;
  } catch (error) {
    throw new ConfigurationError(`${(error as Error).message.split('. ')[0]}: --help shows the options`);
  }
  if (given.help) {
    console.log(HELP);
    process.exit(0);
  }
  const reason = given['accept-loss']?.trim();
  if (reason === '') throw new ConfigurationError('--accept-loss needs a reason, which is recorded');
  return { acceptLoss: reason };
}

export async function run({ logLevel, args = process.argv.slice(2), ...chosen }: RunOptions = {}): Promise<Service> {
  // Node would open its inspector on the one, and end at once on the other.
  for (const signal of ['SIGUSR1', 'SIGUSR2'] as const) process.on(signal, () => {});
  try {
    const { acceptLoss } = optionsIn(args);
    refuseUnknownNames(process.env);
    const configuration = readConfiguration({ ...(logLevel && { MVS_LOG_LEVEL: logLevel }), ...process.env });
    const logOutput = standardOutput((line) => `${readable(line)}\n`);
    const logger = pino({ level: configuration.logLevel, base: null }, logOutput);
    const service = await startService({
      configuration,
      logger,
      logOutput,
      version: packageVersion(),
      acceptLoss,
      onLoss: fail,
      ...chosen,
    });
    stopOnSignal(service, logger, configuration.stopMs);
    logger.info({ address: service.address, data: configuration.dataDirectory }, 'serving');
    return service;
  } catch (error) {
    return fail(error);
  }
}

function fail(error: unknown): never {
  console.error(sentenceOf(error));
  process.exit(error instanceof LogLoss ? EXIT.logLoss : EXIT.notStarted);
}

function stopOnSignal(service: Service, logger: Logger, stopMs: number): void {
  let stopping = false;
  const stop = async (signal: NodeJS.Signals) => {
    if (stopping) return;
    stopping = true;
    logger.info({ signal }, 'stopping');
    setTimeout(() => fail('Not stopped in time: what was still under way is cut off.'), stopMs + CLOSING_MS).unref();
    await service.close();
    process.exit(0);
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop);
}

/** The reason why the service does not start, in words for a person; an unforeseen error with its stack. */
function sentenceOf(error: unknown): string {
  const failure = error as NodeJS.ErrnoException & { address?: string; port?: number };
  if (typeof error === 'string') return error;
  const { code, address, port, path, message, stack } = failure;
  if (code !== undefined && path !== undefined) return `The data directory cannot be used: ${message}`;
  if (code === 'EADDRINUSE') return `Port ${port} on ${address} is taken: set PORT to another one.`;
  if (code === 'EACCES') return `Port ${port} on ${address} may not be opened: set PORT to one above 1023.`;
  if (code === 'EADDRNOTAVAIL') return `HOST=${address} is no address of this machine.`;
  const kinds = [ConfigurationError, LogInUse, LogCorrupt, LogLoss, ModelFileError, Refusal, StoreUnavailable];
  const known = kinds.some((kind) => error instanceof kind);
  return (known ? message : stack) ?? String(error);
}
