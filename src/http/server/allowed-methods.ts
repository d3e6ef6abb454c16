import type { FastifyInstance } from 'fastify';

declare module 'fastify' {
  interface FastifyInstance {
    /** All paths and their methods, for 405 answers. */
    methodsByPath: Map<string, Set<string>>;
  }
}

/** Call before any route is registered. */
export function rememberRoutes(server: FastifyInstance): void {
  server.decorate('methodsByPath', new Map<string, Set<string>>());
  server.addHook('onRoute', ({ url, method }) => {
    const methods = server.methodsByPath.get(url) ?? new Set();
    for (const name of [method].flat()) methods.add(name);
    server.methodsByPath.set(url, methods);
  });
}

export function allowedMethods(server: FastifyInstance, url: string): string[] {
  const path = segments(url.split('?', 1)[0] ?? '');
  const allowed = [...server.methodsByPath].filter(([pattern]) => matches(segments(pattern), path));
  return [...new Set(allowed.flatMap(([, methods]) => [...methods]))].sort();
}

function segments(path: string): string[] {
  return path.split('/').slice(1);
}

function matches(pattern: string[], path: string[]): boolean {
  if (pattern.at(-1) === '*') return false;
  return (
    pattern.length === path.length &&
    pattern.every((part, i) => (part.startsWith(':') ? path[i] !== '' : part === path[i]))
  );
}
