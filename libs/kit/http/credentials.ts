import { readFileSync } from 'node:fs';
import type { FastifyRequest } from 'fastify';
import type { Configuration } from '#config/environment';
import { mayUse, type Operator, readOperators } from '#config/operators';
import { hasHash } from '#kit/log/secrets';
import { header } from './request.js';
import { type SignedOn, SignOn } from './sign-on.js';

/** A file of operators that changed counts so long (ms) after it at the latest. */
const LOOK_AGAIN_MS = 1_000;
/** Cookie of a browser that is signed in: an ID token of the provider, which no script reads. */
export const SESSION = 'mvs_session';

/** The credentials that come by configuration, and operators whom a provider vouches for. */
export class ConfiguredCredentials {
  readonly signOn: SignOn;
  private known: readonly Operator[];
  private lookAgain = performance.now() + LOOK_AGAIN_MS;
  private complaint = '';

  /** @param complain told once where the file of operators changed and cannot be used: the former ones stay */
  constructor(
    private readonly configuration: Configuration,
    now: () => Date,
    private readonly complain: (reason: string) => void,
  ) {
    this.known = configuration.operators;
    this.signOn = new SignOn(configuration, now);
  }

  /** The operator whose key this is. Every known one is compared, so that the time reveals nothing. */
  operator(secret: string): Operator | undefined {
    let found: Operator | undefined;
    for (const operator of this.operators()) if (hasHash(secret, operator.sha256)) found = operator;
    return secret === '' ? undefined : found;
  }

  /**
   * Whoever sends a request as an operator: by a key, by a token of the provider, or from the console's page by its cookie.
   * @param keyAsBearer a key may come as the token, for a monitoring system that cannot send headers of its own
   * @throws Problem (503)
   */
  async sender(request: FastifyRequest, keyAsBearer = false): Promise<SignedOn | undefined> {
    const key = header(request, 'x-svc-admin');
    if (key !== '') return this.operator(key);
    const bearer = /^Bearer +(\S+)$/i.exec(header(request, 'authorization'))?.[1];
    if (bearer !== undefined)
      return (keyAsBearer ? this.operator(bearer) : undefined) ?? (await this.signOn.holder(bearer, 'bearer'));
    const token = cookieOf(request, SESSION);
    return token === '' || !this.isFromThePage(request) ? undefined : this.signOn.holder(token, 'session');
  }

  /** True of an operator who may approve now, by its name in an event. */
  mayApprove(name: string): boolean {
    const known = this.operators().some((operator) => operator.name === name && mayUse(operator, 'operate'));
    return known || this.signOn.vouchesFor(name);
  }

  isReplayToken(secret: string): boolean {
    const { replayToken } = this.configuration;
    return secret !== '' && replayToken !== '' && hasHash(secret, replayToken);
  }

  /** A page of another origin, or of another host of the same site, has the browser send the cookie along. */
  private isFromThePage(request: FastifyRequest): boolean {
    const site = header(request, 'sec-fetch-site');
    const origin = header(request, 'origin');
    return (
      (site === '' || site === 'same-origin') &&
      (origin === '' || origin === new URL(this.configuration.publicUrl).origin)
    );
  }

  private operators(): readonly Operator[] {
    const { operatorFile, replayToken } = this.configuration;
    if (operatorFile === '' || performance.now() < this.lookAgain) return this.known;
    this.lookAgain = performance.now() + LOOK_AGAIN_MS;
    try {
      const read = readOperators(readFileSync(operatorFile, 'utf8').trim());
      if (read.length === 0) throw new Error('it names no operator');
      if (read.some(({ sha256 }) => sha256 === replayToken)) throw new Error('it holds the replay token');
      this.known = read;
      this.complaint = '';
    } catch (error) {
      const { message } = error as Error;
      if (message !== this.complaint) this.complain(message);
      this.complaint = message;
    }
    return this.known;
  }
}

/** A cookie of the request; '' where it is missing or repeated. */
export function cookieOf(request: FastifyRequest, name: string): string {
  const sent = header(request, 'cookie').split(/; */);
  const found = sent.filter((pair) => pair.startsWith(`${name}=`));
  return found.length === 1 ? found[0].slice(name.length + 1) : '';
}
