import { type IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { ExecutionContext, RequestMethod } from '@nestjs/common';
import { METHOD_METADATA, PATH_METADATA, ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import type { FastifyInstance } from 'fastify';

// The only places that use undocumented parts of Nest, Fastify and Node's HTTP server. `framework-internals.spec.ts`
// fails when an update changes them.

export function httpMethodOf(handler: object): RequestMethod | undefined {
  return Reflect.getMetadata(METHOD_METADATA, handler) as RequestMethod | undefined;
}

export function pathsOf(target: object): string[] {
  return [Reflect.getMetadata(PATH_METADATA, target) as string | string[] | undefined].flat().map((path) => path ?? '');
}

/** Whether a route has `@Query` and `@Body` parameters. */
export function declaredInputsOf(context: ExecutionContext): { query: boolean; body: boolean } {
  const parameters = Reflect.getMetadata(ROUTE_ARGS_METADATA, context.getClass(), context.getHandler().name) as
    Record<string, unknown> | undefined;
  // Keys are `<kind>:<index>`; those of custom decorators begin with random hex digits.
  const kinds = Object.keys(parameters ?? {}).flatMap((key) =>
    /^\d+:\d+$/.test(key) ? [Number.parseInt(key, 10)] : [],
  );
  return { query: kinds.includes(RouteParamtypes.QUERY), body: kinds.includes(RouteParamtypes.BODY) };
}

/** Node creates no response for a request that it emits as an upgrade. */
export function responseOnSocket(request: IncomingMessage, socket: Socket): ServerResponse {
  const response = new ServerResponse(request);
  response.shouldKeepAlive = false;
  attachSocket(response, socket);
  return response;
}

export function attachSocket(response: ServerResponse, socket: Socket): void {
  response.assignSocket(socket);
}

export function detachSocket(response: ServerResponse, socket: Socket): void {
  response.detachSocket(socket);
}

export function routeRequest(fastify: FastifyInstance, request: IncomingMessage, response: ServerResponse): void {
  fastify.routing(request, response);
}
