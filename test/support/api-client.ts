import type { IncomingMessage } from 'node:http';
import request from 'supertest';
import { expectDocumented } from './openapi.js';

type Method = 'get' | 'head' | 'post' | 'put' | 'patch' | 'delete';
type Headers = Record<string, string>;

export interface ApiAnswer {
  readonly status: number;
  // Bodies are asserted field by field; their shape is checked against the API document.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  readonly body: any;
  readonly text: string;
  readonly headers: Record<string, string | undefined>;
}

/** Checks every answer against the committed API document. */
export class ApiClient {
  constructor(
    private readonly baseUrl: string,
    private readonly bearer: string | null,
  ) {}

  get(path: string, headers?: Headers): Promise<ApiAnswer> {
    return this.send('get', path, undefined, headers);
  }

  head(path: string, headers?: Headers): Promise<ApiAnswer> {
    return this.send('head', path, undefined, headers);
  }

  post(path: string, body?: object | string, headers?: Headers): Promise<ApiAnswer> {
    return this.send('post', path, body, headers);
  }

  put(path: string, body?: object | string, headers?: Headers): Promise<ApiAnswer> {
    return this.send('put', path, body, headers);
  }

  patch(path: string, body?: object | string, headers?: Headers): Promise<ApiAnswer> {
    return this.send('patch', path, body, headers);
  }

  delete(path: string, headers?: Headers): Promise<ApiAnswer> {
    return this.send('delete', path, undefined, headers);
  }

  async send(method: Method, path: string, body?: object | string, headers: Headers = {}): Promise<ApiAnswer> {
    const call = request(this.baseUrl)[method](path).set(headers);
    if (this.bearer !== null) void call.set('Authorization', `Bearer ${this.bearer}`);
    if (body !== undefined && !('Content-Type' in headers)) void call.set('Content-Type', 'application/json');
    const answer = await call.send(body).buffer(true).parse(asText);
    const text = typeof answer.body === 'string' ? answer.body : '';
    const isJson = /[/+]json\b/.test(answer.headers['content-type'] ?? '') && text !== '';
    const result: ApiAnswer = {
      status: answer.status,
      text,
      body: isJson ? JSON.parse(text) : undefined,
      headers: answer.headers,
    };
    expectDocumented(method, path, result);
    return result;
  }
}

/** Keeps every body as text, whatever its media type. Of an event stream, which does not end, only the beginning. */
function asText(answer: request.Response, done: (error: Error | null, text: string) => void): void {
  const response = answer as unknown as IncomingMessage;
  const isEndless = response.headers['content-type']?.startsWith('text/event-stream') ?? false;
  const chunks: Buffer[] = [];
  response.on('data', (chunk: Buffer) => {
    chunks.push(Buffer.from(chunk));
    if (!isEndless) return;
    done(null, Buffer.concat(chunks).toString());
    response.destroy();
  });
  response.on('end', () => done(null, Buffer.concat(chunks).toString()));
}
