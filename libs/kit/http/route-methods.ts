/** The methods of each path, so that a wrong method is a 405 with Allow and not a 404. */
import { NotFoundException } from '@nestjs/common';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Problem } from './problem.js';

export class RouteMethods {
  private readonly routes = new Map<string, { pattern: RegExp; methods: Set<string> }>();

  /** To be called before any route is registered. */
  watch(instance: FastifyInstance): void {
    instance.addHook('onRoute', ({ url, method }) => {
      const route = this.routes.get(url) ?? { pattern: patternOf(url), methods: new Set<string>() };
      for (const name of [method].flat()) route.methods.add(name);
      this.routes.set(url, route);
    });
  }

  list(): string[] {
    return [...this.routes].flatMap(([url, { methods }]) =>
      [...methods].filter((method) => method !== 'HEAD').map((method) => `${method} ${url}`),
    );
  }

  /** The router's own "not found" as the problem that it is; anything else as it came. */
  explain(error: unknown, request: FastifyRequest): unknown {
    if (!(error instanceof NotFoundException)) return error;
    const path = request.url.split('?', 1)[0];
    const methods = new Set<string>();
    for (const route of this.routes.values()) {
      if (route.pattern.test(path)) for (const method of route.methods) methods.add(method);
    }
    if (methods.size === 0) return new Problem('no_route');
    return new Problem('wrong_method', undefined, { headers: { allow: [...methods].sort().join(', ') } });
  }
}

const patternOf = (url: string) =>
  new RegExp(
    `^${url
      .replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
      .replace(/:[^/]+/g, '[^/]+')
      .replace(/\\[*]$/, '.*')}/?$`,
  );
