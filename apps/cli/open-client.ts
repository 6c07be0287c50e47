import { readFileSync } from 'node:fs';
import { BadInput, type ClientOptions, MatchVerification } from '#client';
import { UsageError } from './exit.js';

/** The service with the API key of a file. @throws UsageError that names the option */
export function openClient(
  baseUrl: string,
  keyFile: string,
  options: Pick<ClientOptions, 'maxRetries'> = {},
): MatchVerification {
  const apiKey = readFileSync(keyFile, 'utf8').trim();
  // It would fail at the first call, and say it worse.
  if (!/^[\x21-\x7e]+$/.test(apiKey)) throw new UsageError(`--key-file: ${keyFile} holds no API key`);
  try {
    return new MatchVerification({ baseUrl, apiKey, ...options });
  } catch (error) {
    if (error instanceof BadInput) throw new UsageError(`--url: ${error.message}`);
    throw error;
  }
}
