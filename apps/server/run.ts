/** Starts the service as a program: environment in, one sentence where it cannot start, an orderly end on a signal. */
import pino, { type Logger } from 'pino';
import { type Configuration, ConfigurationError, packageVersion, readConfiguration, refuseUnknownNames } from '#config';
import { LogCorrupt, LogInUse, StoreUnavailable } from '#event-store';
import { ModelFileError } from '#matching';
import { standardOutput } from '#observability';
import { Refusal } from '#spectra';
import { readable } from './readable-log.js';
import { type Service, type ServiceOptions, startService } from './service.js';

/** An orderly end takes no longer; whatever still runs then is cut off. */
const STOP_MILLISECONDS = 4500;

export interface RunOptions extends Pick<ServiceOptions, 'modelFolders' | 'engine'> {
  /** Used if the environment names none. */
  logLevel?: Configuration['logLevel'];
}

export async function run({ logLevel, ...chosen }: RunOptions = {}): Promise<Service> {
  try {
    refuseUnknownNames(process.env);
    const configuration = readConfiguration({ ...(logLevel && { MVS_LOG_LEVEL: logLevel }), ...process.env });
    const logOutput = standardOutput((line) => `${readable(line)}\n`);
    const logger = pino({ level: configuration.logLevel, base: null }, logOutput);
    const service = await startService({ configuration, logger, logOutput, version: packageVersion(), ...chosen });
    stopOnSignal(service, logger);
    logger.info({ address: service.address, data: configuration.dataDirectory }, 'serving');
    return service;
  } catch (error) {
    console.error(sentenceOf(error));
    process.exit(1);
  }
}

function stopOnSignal(service: Service, logger: Logger): void {
  let stopping = false;
  const stop = async (signal: NodeJS.Signals) => {
    if (stopping) return;
    stopping = true;
    logger.info({ signal }, 'stopping');
    setTimeout(() => process.exit(1), STOP_MILLISECONDS).unref();
    await service.close();
    process.exit(0);
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop);
}

/** The reason why the service does not start, in words for a person; an unforeseen error with its stack. */
function sentenceOf(error: unknown): string {
  const failure = error as NodeJS.ErrnoException & { address?: string; port?: number };
  const { code, address, port, path, message, stack } = failure;
  if (code !== undefined && path !== undefined) return `The data directory cannot be used: ${message}`;
  if (code === 'EADDRINUSE') return `Port ${port} on ${address} is taken: set PORT to another one.`;
  if (code === 'EACCES') return `Port ${port} on ${address} may not be opened: set PORT to one above 1023.`;
  if (code === 'EADDRNOTAVAIL') return `HOST=${address} is no address of this machine.`;
  const kinds = [ConfigurationError, LogInUse, LogCorrupt, ModelFileError, Refusal, StoreUnavailable];
  const known = kinds.some((kind) => error instanceof kind);
  return (known ? message : stack) ?? String(error);
}
