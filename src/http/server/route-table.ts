import { type INestApplication, RequestMethod } from '@nestjs/common';
import { DiscoveryService, MetadataScanner, Reflector } from '@nestjs/core';
import { ACCESS_RULE, type AccessRule, COMPUTER_ACCESS, takesCookie } from '../../common/access/access.decorator.js';
import { httpMethodOf, pathsOf } from '../framework-internals.js';

export interface Route {
  readonly method: string;
  readonly path: string;
  readonly access: AccessRule;
  readonly isForComputers: boolean;
  readonly handler: string;
}

type Handler = (...args: unknown[]) => unknown;

/** Throws when a route declares no access rule. */
export function listRoutes(app: INestApplication): Route[] {
  const reflector = app.get(Reflector);
  const scanner = new MetadataScanner();
  const routes = app
    .get(DiscoveryService)
    .getControllers()
    .flatMap(({ metatype }) => {
      if (typeof metatype !== 'function') return [];
      const prototype = metatype.prototype as Record<string, Handler>;
      return scanner.getAllMethodNames(prototype).flatMap((name) => {
        const handler = prototype[name];
        const method = handler && httpMethodOf(handler);
        if (!handler || method === undefined) return [];
        const access = reflector.getAllAndOverride<AccessRule | undefined>(ACCESS_RULE, [handler, metatype]);
        const isForComputers =
          reflector.getAllAndOverride<boolean | undefined>(COMPUTER_ACCESS, [handler, metatype]) === true;
        const described = `${metatype.name}.${name}`;
        if (!access) throw new Error(`${described} declares no access; add @Access(...) or @PublicAccess()`);
        return joinPaths(pathsOf(metatype), pathsOf(handler)).map((path) => {
          return { method: RequestMethod[method], path, access, isForComputers, handler: described };
        });
      });
    });
  return routes.sort((a, b) => (a.path === b.path ? compare(a.method, b.method) : compare(a.path, b.path)));
}

export function describeRoutes(app: INestApplication): string[] {
  return listRoutes(app).map(({ method, path, access, isForComputers }) => {
    if (access === 'public') return `${method} ${path} | public`;
    const scoped = access.scopes.map((scope) => `${scope}-key`);
    const cookie = takesCookie(access, isForComputers) ? ['cookie'] : [];
    const credentials = ['key', 'jwt', ...cookie, ...scoped, ...(isForComputers ? ['computer-token'] : [])];
    return `${method} ${path} | ${access.roles.join(' ')} | ${credentials.join(' ')}`;
  });
}

function joinPaths(prefixes: string[], paths: string[]): string[] {
  return prefixes.flatMap((prefix) =>
    paths.map((path) => `/${[...prefix.split('/'), ...path.split('/')].filter((part) => part !== '').join('/')}`),
  );
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
