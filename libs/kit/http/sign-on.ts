/**
 * Operators by OpenID Connect: tokens of one provider, whose keys are kept, so that those who are signed in stay while it is
 * away. The browser signs in by authorization code with PKCE, through the service.
 */
import { createRemoteJWKSet, customFetch, errors, type JWTPayload, jwtVerify } from 'jose';
import * as oidc from 'openid-client';
import type { Configuration } from '#config/environment';
import { SCOPES, type Scope, visible } from '#config/operators';
import { Problem } from './problem.js';

/** A person or a program as a token says. */
export interface SignedOn {
  /** As events carry it: the name that is shown, then issuer and subject. */
  name: string;
  scopes: readonly Scope[];
}

/** What the browser keeps between the way to the provider and the way back. */
export interface Begun {
  state: string;
  nonce: string;
  verifier: string;
}

/** Signatures by keys of two halves alone: neither `none` nor a shared secret, which the public half could be taken for. */
const ALGORITHMS = ['RS', 'PS', 'ES'].flatMap((kind) => [256, 384, 512].map((bits) => kind + bits)).concat('EdDSA');
/** Clocks may differ so much (s) about when a token begins; its end is taken by the word. */
const SKEW_S = 60;
/** Largest answer of the provider, and the time for one. */
const MAX_BYTES = 256 * 1024;
const TIMEOUT_MS = 5_000;
const KEYS_AGAIN_MS = 10 * 60_000;
/** Between two tries to reach a provider that is away. */
const AGAIN_MS = 2_000;
/** Most characters that events take of an operator, and of the name in it. */
const MAX_OPERATOR = 256;
const MAX_NAME = 64;

export class SignOn {
  private readonly issuer: string;
  private provider: { found: Promise<oidc.Configuration>; failedAt?: number } | undefined;
  private keys: ReturnType<typeof createRemoteJWKSet> | undefined;
  private askedForKeys = 0;

  constructor(
    private readonly configuration: Pick<
      Configuration,
      'oidcIssuer' | 'oidcClientId' | 'oidcClientSecret' | 'oidcAudience' | 'oidcRoles' | 'publicUrl'
    >,
    private readonly now: () => Date,
  ) {
    this.issuer = configuration.oidcIssuer;
  }

  get enabled(): boolean {
    return this.issuer !== '';
  }

  /** Whether browsers come by TLS. */
  get isSecure(): boolean {
    return this.configuration.publicUrl.startsWith('https:');
  }

  /** True of an operator as events name one, if this provider knows it. */
  vouchesFor(operator: string): boolean {
    return this.enabled && operator.endsWith('>') && operator.includes(` <${this.issuer}#`);
  }

  /**
   * The holder of an access token, or in a browser of an ID token; undefined where the token is none of this provider for this
   * service.
   * @throws Problem (503) where the provider has to be asked, and is away
   */
  async holder(token: string, as: 'bearer' | 'session'): Promise<SignedOn | undefined> {
    const audience = as === 'session' ? this.configuration.oidcClientId : this.configuration.oidcAudience;
    if (!this.enabled || audience === '' || token.split('.').length !== 3) return undefined;
    const keys = await this.keySet();
    try {
      const { payload } = await jwtVerify(token, keys, {
        ...{ issuer: this.issuer, audience, algorithms: ALGORITHMS, clockTolerance: SKEW_S, currentDate: this.now() },
        requiredClaims: ['sub', 'exp', 'iat'],
      });
      if (payload.exp! * 1000 <= this.now().getTime()) return undefined;
      return as === 'session' && !isFor(payload, this.configuration.oidcClientId) ? undefined : this.holderOf(payload);
    } catch (error) {
      if (isRefused(error)) return undefined;
      throw away(error);
    }
  }

  /** Where the browser goes, and what it keeps until it is back. @throws Problem (503) */
  async begin(): Promise<{ to: string; begun: Begun }> {
    // Asked anew, so that whoever comes while it is away is told here.
    this.provider = undefined;
    const provider = await this.discovered();
    const begun = { state: oidc.randomState(), nonce: oidc.randomNonce(), verifier: oidc.randomPKCECodeVerifier() };
    const to = oidc.buildAuthorizationUrl(provider, {
      ...{ redirect_uri: this.backTo, scope: 'openid profile email', state: begun.state, nonce: begun.nonce },
      ...{ code_challenge: await oidc.calculatePKCECodeChallenge(begun.verifier), code_challenge_method: 'S256' },
    });
    return { to: to.href, begun };
  }

  /**
   * The ID token for the code that the browser brings back, and its end.
   * @throws what the provider or its answer is refused for
   */
  async complete(query: string, { state, nonce, verifier }: Begun): Promise<{ token: string; expires: Date }> {
    const provider = await this.discovered();
    const tokens = await oidc.authorizationCodeGrant(provider, new URL(this.backTo + query), {
      ...{ pkceCodeVerifier: verifier, expectedState: state, expectedNonce: nonce, idTokenExpected: true },
    });
    const token = tokens.id_token!;
    if (!(await this.holder(token, 'session'))) throw new Error('the ID token is not for this service');
    return { token, expires: new Date(tokens.claims()!.exp * 1000) };
  }

  /** Where the browser signs out of the provider too; undefined where the provider has no such place or is away. */
  async end(token: string): Promise<string | undefined> {
    const provider = await this.discovered().catch(() => undefined);
    if (provider?.serverMetadata().end_session_endpoint === undefined) return undefined;
    const back = { id_token_hint: token, post_logout_redirect_uri: `${this.configuration.publicUrl}/console/` };
    return oidc.buildEndSessionUrl(provider, back).href;
  }

  private get backTo(): string {
    return `${this.configuration.publicUrl}/console/signed-in`;
  }

  private holderOf(payload: JWTPayload): SignedOn | undefined {
    const { sub = '', name, preferred_username, email } = payload;
    const id = `<${this.issuer}#${sub}>`;
    if (/[<>]/.test(sub) || visible(sub).join('') !== sub || id.length > MAX_OPERATOR - MAX_NAME) return undefined;
    const given = [name, preferred_username, email, sub].find((one) => typeof one === 'string' && one !== '') as string;
    const shown = visible(given.replace(/[<>]/g, ' '))
      .slice(0, MAX_NAME / 2)
      .join('');
    const roles = claimOf(payload, this.configuration.oidcRoles);
    return { name: `${shown} ${id}`, scopes: SCOPES.filter((scope) => roles.includes(scope)) };
  }

  /** The provider's keys: kept while it is away, asked for again every ten minutes and for a key that is not among them. */
  private async keySet() {
    if (!this.keys) {
      const { jwks_uri } = (await this.discovered()).serverMetadata();
      this.keys = createRemoteJWKSet(new URL(jwks_uri!), {
        ...{ cacheMaxAge: Number.POSITIVE_INFINITY, timeoutDuration: TIMEOUT_MS, [customFetch]: bounded },
      });
      this.askedForKeys = performance.now();
    } else if (performance.now() - this.askedForKeys > KEYS_AGAIN_MS) {
      this.askedForKeys = performance.now();
      void this.keys.reload().catch(() => {});
    }
    return this.keys;
  }

  private async discovered(): Promise<oidc.Configuration> {
    const { provider, configuration } = this;
    if (!provider || (provider.failedAt !== undefined && performance.now() - provider.failedAt > AGAIN_MS)) {
      const secret = configuration.oidcClientSecret;
      const client = secret === '' ? oidc.None() : oidc.ClientSecretPost(secret);
      const insecure = this.issuer.startsWith('http:') ? [oidc.allowInsecureRequests] : [];
      const found = oidc.discovery(new URL(this.issuer), configuration.oidcClientId, undefined, client, {
        ...{ [oidc.customFetch]: bounded as oidc.CustomFetch, execute: insecure, timeout: TIMEOUT_MS / 1000 },
      });
      const fresh: typeof this.provider = { found };
      this.provider = fresh;
      found.catch(() => {
        fresh.failedAt = performance.now();
      });
    }
    return this.provider!.found.catch((error) => {
      throw away(error);
    });
  }
}

/** Of an ID token for several: the one that it was given to. */
const isFor = ({ aud, azp }: JWTPayload, client: string): boolean =>
  azp === undefined ? !Array.isArray(aud) || aud.length === 1 : azp === client;

/** Values of a claim, which may lie deeper, as realm_access.roles. */
function claimOf(payload: JWTPayload, name: string): unknown[] {
  const deep = (of: unknown, part: string) => (of as Record<string, unknown> | undefined)?.[part];
  const value = Object.hasOwn(payload, name) ? payload[name] : name.split('.').reduce<unknown>(deep, payload);
  return Array.isArray(value) ? value : typeof value === 'string' ? value.split(/[\s,]+/) : [];
}

const REFUSED = /^ERR_(JWT|JWS|JOSE_ALG|JOSE_NOT_SUPPORTED|JWKS_(NO|MULTIPLE)_MATCHING)/;
const isRefused = (error: unknown) => error instanceof errors.JOSEError && REFUSED.test(error.code);

const away = (cause: unknown) =>
  new Problem('busy', ': the identity provider cannot be reached', { cause, headers: { 'retry-after': '5' } });

/** Follows no redirect, and reads no more than an answer of the provider should have. */
async function bounded(url: string, options: RequestInit): Promise<Response> {
  const response = await fetch(url, { ...options, redirect: 'error', signal: AbortSignal.timeout(TIMEOUT_MS) });
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of response.body ?? []) {
    size += part.length;
    if (size > MAX_BYTES) throw new Error(`an answer of the provider has more than ${MAX_BYTES} bytes`);
    parts.push(part);
  }
  return new Response(size === 0 ? null : Buffer.concat(parts), { status: response.status, headers: response.headers });
}
