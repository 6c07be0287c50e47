/** Secrets of the event log's seals, as a setting or a file of its own holds them. */
import { ConfigurationError } from './error.js';

const LEAST_BYTES = 32;
const MOST_BYTES = 1024;
const PLAIN = /^[\x21-\x7e]+$/;

/**
 * @param value secrets between commas or on lines of their own, the newest first
 * @param where what holds them, for errors, which never show a secret
 * @throws ConfigurationError
 */
export function readLogSecrets(value: string, where = 'MVS_LOG_SECRET'): string[] {
  const secrets = value.split(/[,\r\n]+/).flatMap((one) => one.trim() || []);
  secrets.forEach((secret, i) => {
    const which = secrets.length > 1 ? `, secret ${i + 1} of ${secrets.length}` : '';
    const refuse = (fault: string) => {
      throw new ConfigurationError(`${where}${which}: ${fault}; make one with: openssl rand -base64 32`);
    };
    if (!PLAIN.test(secret)) refuse('a secret is of printable ASCII characters without blanks');
    if (secret.length < LEAST_BYTES) refuse(`a secret has ${LEAST_BYTES} characters or more, not ${secret.length}`);
    if (secret.length > MOST_BYTES) refuse(`a secret has ${MOST_BYTES} characters at most, not ${secret.length}`);
    if (new Set(secret).size < 8) refuse('a secret of so few different characters can be guessed');
  });
  if (new Set(secrets).size < secrets.length) throw new ConfigurationError(`${where} holds a secret twice`);
  return secrets;
}
