import 'reflect-metadata';
import { once } from 'node:events';
import { IncomingMessage } from 'node:http';
import { type AddressInfo, connect, createServer } from 'node:net';
import { Body, Controller, createParamDecorator, Get, Post, Query, RequestMethod } from '@nestjs/common';
import { ExecutionContextHost } from '@nestjs/core/helpers/execution-context-host.js';
import { fastify as createFastify } from 'fastify';
import {
  attachSocket,
  declaredInputsOf,
  detachSocket,
  httpMethodOf,
  pathsOf,
  responseOnSocket,
  routeRequest,
} from '../../src/http/framework-internals.js';

const Custom = createParamDecorator(() => 'value');

@Controller('things')
class ThingsController {
  @Get(['one', 'two'])
  list(@Query() query: object, @Custom() custom: string): unknown {
    return { query, custom };
  }

  @Post()
  create(@Custom() custom: string, @Body() body: object): unknown {
    return { custom, body };
  }

  plain(): void {
    // no route
  }
}

type Name = 'list' | 'create' | 'plain';
const handlerOf = (name: Name) => Object.getOwnPropertyDescriptor(ThingsController.prototype, name)?.value as object;
const inputsOf = (name: Name) =>
  declaredInputsOf(new ExecutionContextHost([], ThingsController, handlerOf(name) as () => void));

/** Fails with a sentence that names the package whose update broke `framework-internals.ts`. */
function holds(part: string, actual: unknown, expected: unknown): void {
  const [is, was] = [JSON.stringify(actual), JSON.stringify(expected)];
  if (is !== was) throw new Error(`${part} has changed: framework-internals.ts reads ${is} instead of ${was}`);
}

describe('the undocumented parts of frameworks are as before:', () => {
  it('the metadata of @nestjs/common for methods and paths', () => {
    const routes = (['list', 'create', 'plain'] as const).map((name) => httpMethodOf(handlerOf(name)) ?? null);
    holds('METHOD_METADATA of @nestjs/common', routes, [RequestMethod.GET, RequestMethod.POST, null]);
    const paths = [ThingsController, handlerOf('list'), handlerOf('plain')].map(pathsOf);
    holds('PATH_METADATA of @nestjs/common', paths, [['things'], ['one', 'two'], ['']]);
  });

  it('the metadata of @nestjs/common for parameters', () => {
    const inputs = (['list', 'create', 'plain'] as const).map(inputsOf);
    holds('ROUTE_ARGS_METADATA of @nestjs/common', inputs, [
      { query: true, body: false },
      { query: false, body: true },
      { query: false, body: false },
    ]);
  });

  it('routing of fastify, with a response on a socket of ours', async () => {
    const fastify = createFastify();
    fastify.get('/here', () => 'routed');
    await fastify.ready();
    const server = createServer((socket) => {
      const request = new IncomingMessage(socket);
      Object.assign(request, { method: 'GET', url: '/here', headers: { host: 'localhost' } });
      const response = responseOnSocket(request, socket);
      detachSocket(response, socket);
      attachSocket(response, socket);
      response.once('finish', () => socket.end());
      routeRequest(fastify, request, response);
    }).listen(0);
    const client = connect((server.address() as AddressInfo).port);
    let answer = '';
    client.on('data', (data) => (answer += data.toString()));
    await once(client, 'close');
    server.close();
    await fastify.close();
    holds('routing() of fastify, or ServerResponse.assignSocket() of Node', answer.split('\r\n\r\n')[1], 'routed');
  });
});
