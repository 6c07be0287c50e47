/** Signing in at the identity provider and out again: the browser is led there and back, and gets a cookie that no script reads. */
import { Controller, Get, Inject, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { ConfiguredCredentials, cookieOf, SESSION } from '#kit/http/credentials';
import { Problem } from '#kit/http/problem';
import { LOGGER } from '#kit/http/provided';
import type { Begun } from '#kit/http/sign-on';
import { ApiExcludeEndpoint } from '#kit/http/swagger';

/** Cookie of a browser that is on its way to the provider. */
const ON_ITS_WAY = 'mvs_sign_in';
const ON_ITS_WAY_S = 600;
/** Browsers keep no longer cookie. */
const MAX_COOKIE = 4000;

@Controller('console')
export class SignOnController {
  constructor(
    private readonly credentials: ConfiguredCredentials,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  @Get('sign-in')
  @ApiExcludeEndpoint()
  async begin(@Res() reply: FastifyReply): Promise<void> {
    try {
      const { to, begun } = await this.signOn.begin();
      const kept = Buffer.from(JSON.stringify(begun)).toString('base64url');
      this.lead(reply, to, this.cookie(ON_ITS_WAY, kept, ON_ITS_WAY_S));
    } catch (error) {
      this.refuse(reply, error);
    }
  }

  @Get('signed-in')
  @ApiExcludeEndpoint()
  async complete(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    try {
      const kept = Buffer.from(cookieOf(request, ON_ITS_WAY), 'base64url').toString();
      if (kept === '') throw new Error('the browser did not begin here, or took longer than ten minutes');
      const query = request.url.slice(request.url.indexOf('?'));
      const { token, expires } = await this.signOn.complete(query, JSON.parse(kept) as Begun);
      if (token.length > MAX_COOKIE)
        throw new Error(`the ID token has ${token.length} characters: no browser keeps it`);
      const lasts = Math.floor((expires.getTime() - Date.now()) / 1000);
      this.lead(reply, '/console/', this.cookie(SESSION, token, lasts), this.cookie(ON_ITS_WAY, '', 0));
    } catch (error) {
      this.refuse(reply, error);
    }
  }

  @Get('sign-out')
  @ApiExcludeEndpoint()
  async end(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const token = cookieOf(request, SESSION);
    const to = token === '' ? undefined : await this.signOn.end(token);
    this.lead(reply, to ?? '/console/', this.cookie(SESSION, '', 0));
  }

  private get signOn() {
    const { signOn } = this.credentials;
    if (!signOn.enabled) throw new Problem('no_route', ': there is no identity provider (MVS_OIDC_ISSUER)');
    return signOn;
  }

  private cookie(name: string, value: string, seconds: number): string {
    const secure = this.signOn.isSecure ? '; Secure' : '';
    return `${name}=${value}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${Math.max(0, seconds)}${secure}`;
  }

  private lead(reply: FastifyReply, to: string, ...cookies: string[]): void {
    void reply.status(302).headers({ location: to, 'set-cookie': cookies, 'referrer-policy': 'no-referrer' }).send();
  }

  /** The console's first page says so; the reason, which the provider may have written, goes into the service's log. */
  private refuse(reply: FastifyReply, error: unknown): void {
    if (error instanceof Problem && error.code === 'no_route') throw error;
    const away = error instanceof Problem;
    const { message, cause } = error as Error;
    this.logger.warn({ reason: message, cause: cause && String(cause) }, 'not signed in by the identity provider');
    this.lead(reply, `/console/?sign-in=${away ? 'away' : 'refused'}`, this.cookie(ON_ITS_WAY, '', 0));
  }
}
