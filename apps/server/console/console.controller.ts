/** The operators' console: static files of the build, open to everybody; what they show needs an operator's key. */
import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { Controller, Get, Inject, Param, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Configuration } from '#config/environment';
import { packageFolder } from '#config/version';
import { cookieOf, SESSION } from '#kit/http/credentials';
import { Problem } from '#kit/http/problem';
import { CONFIGURATION } from '#kit/http/provided';
import { ApiExcludeEndpoint } from '#kit/http/swagger';
import { Document } from '../contract/document.js';

/** Output of the build (apps/console/build.mjs). */
const BUILT = join(packageFolder(), 'dist', 'console');
/** Place in the page for the nonce of each answer (apps/console/vite.config.ts). */
const NONCE = '__NONCE__';

/** Files are named by their content. */
const FOR_GOOD = { 'cache-control': 'public, max-age=31536000, immutable' };
const TYPES: Record<string, string | undefined> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** Why a sign-in at the provider came to nothing, for the page. */
const SAID: Record<string, string | undefined> = {
  away: 'The identity provider cannot be reached. Those who are signed in stay until their sign-in ends.',
  refused: 'The identity provider did not let you in, or its answer was not for this service. Sign in again.',
};

const policy = (nonce: string) =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "connect-src 'self'",
    "img-src 'self' data:",
    "font-src 'self'",
    "worker-src 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');

@Controller('console')
export class ConsoleController {
  private page: string | undefined;
  private files: ReadonlySet<string> | undefined;
  private readonly documents = new Map<string, Document>();

  constructor(@Inject(CONFIGURATION) private readonly configuration: Configuration) {}

  @Get('assets/:file')
  @ApiExcludeEndpoint()
  asset(@Param('file') file: string, @Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply) {
    this.requireRole();
    return this.documentOf(file).answer(request, reply);
  }

  /** The browser tells from the address which page to show. */
  @Get(['', '*'])
  @ApiExcludeEndpoint()
  show(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply): string {
    this.requireRole();
    this.page ??= pageOf(join(BUILT, 'index.html'));
    const nonce = randomBytes(16).toString('base64');
    reply.headers({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': policy(nonce),
      'referrer-policy': 'no-referrer',
    });
    return this.page.replaceAll(NONCE, nonce).replace('</head>', `${this.signOnOf(request)}</head>`);
  }

  /** What the page cannot know: where operators sign in, if they do so at a provider, and whether this browser has. */
  private signOnOf(request: FastifyRequest): string {
    const { oidcIssuer } = this.configuration;
    if (oidcIssuer === '') return '';
    const told = SAID[new URL(request.url, 'http://console').searchParams.get('sign-in') ?? ''] ?? '';
    const at = encodeURI(new URL(oidcIssuer).host);
    return `<meta name="sign-on" content="${at}" data-in="${cookieOf(request, SESSION) !== ''}" data-notice="${told}">`;
  }

  /** @throws Problem (421) where no operation that it asks is answered */
  private requireRole(): void {
    const { role } = this.configuration;
    if (role === 'claims') throw new Problem('misdirected', `: its MVS_ROLE is ${role}`);
  }

  /** Read when it is first asked for. @throws Problem (404) */
  private documentOf(file: string): Document {
    const folder = join(BUILT, 'assets');
    if (!this.files && existsSync(folder)) this.files = new Set(readdirSync(folder));
    const type = TYPES[extname(file)];
    if (type === undefined || !this.files?.has(file)) throw new Problem('no_route');
    const read = (ending: string) =>
      this.files?.has(file + ending) ? readFileSync(join(folder, file + ending)) : undefined;
    const known =
      this.documents.get(file) ?? new Document(type, read('')!, FOR_GOOD, { br: read('.br'), gzip: read('.gz') });
    this.documents.set(file, known);
    return known;
  }
}

/** @throws Problem (404) where there is no build of it, as after a compilation of the service alone */
function pageOf(file: string): string {
  if (!existsSync(file))
    throw new Problem(
      'no_route',
      ': the console is not built (npm run build does it; npm start, after its first answers)',
    );
  return readFileSync(file, 'utf8');
}
