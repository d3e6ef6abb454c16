import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { VERSION } from './common/version.js';
import { placeBodyContents } from './http/parameters/body-content.decorator.js';
import { keepUsefulExamples } from './openapi-examples.js';

const DESCRIPTION = `
Self-hosted control plane for coding agents.

**Authentication.** Send \`Authorization: Bearer <value>\`, where the value is an API key of this service (\`apk_...\`) or a
token (JWT) of your company's single sign-on. Credentials in query strings or bodies are never accepted. A browser that signed in
at \`/auth/session\` sends a cookie instead; ingest, telemetry and the sockets of agents do not take it.

**Errors.** Every error has the media type \`application/problem+json\` and the body \`ProblemResponse\`. \`requestId\` is also
the header \`X-Request-Id\` and stands on every log line of the request. An object of another organization is a 404, exactly
like one that does not exist. A known path with another method is a 405 with \`Allow\`.

**Input.** Unknown fields and unknown query parameters are a 400, as is everything that would have to be altered to be
stored: NUL characters, half surrogate pairs, invalid UTF-8, repeated keys, numbers that a double cannot hold. Lengths count
code points. A body has at most 1 MiB unless its operation says otherwise, and at most 100,000 JSON values; a query string has
at most 100 parameters. Lists that are too long are refused before their items are looked at. \`errors\` names at most 50
fields. A request has one \`Host\` header. Requests of one connection are
answered one after the other; a connection with more than 100 waiting is closed.

**Lists.** \`limit\` is 1 to 100, 20 by default. Cursors are opaque and belong to the query and the caller that got them.
Readiness reports have no cursors: their list goes on behind the \`reportId\` in \`startAfter\`.

**Limits.** \`RateLimit\` and \`RateLimit-Policy\` tell the pace at which a credential may go on; over it is a 429 with
\`Retry-After\`. An address (of IPv6, its /64 network) may show 100 different credentials a minute that are refused
(\`MAX_REFUSED_PER_MINUTE\`); after that, a credential that was never accepted before is a 429 until the minute is over,
whether it is good or not. The same refused credential counts once, and one that was accepted before goes on working. A
user may hold 50 event streams and client sockets open at a time (\`MAX_STREAMS_PER_USER\`, counted by each process of the
service).
`.trim();

const TAGS: [name: string, description: string][] = [
  ['Me', 'Who the caller is.'],
  ['Organization', 'The people of the organization and what they may do.'],
  ['Computers', 'The machines on which sessions run.'],
  ['Sessions', 'Agent sessions and their settings.'],
  ['Messages', 'The messages of a session, and the turns they start.'],
  ['Relay', 'WebSockets: how a computer’s agent takes turns, and how clients follow them.'],
  ['Analytics', 'Daily usage of the organization.'],
  ['Ingest', 'Usage events of agents and scripts.'],
  ['Telemetry', 'OpenTelemetry of coding agents, unmodified (OTLP/HTTP).'],
  ['Readiness', 'What evaluations of repositories found: how ready they are for agents.'],
  ['API keys', 'Credentials for agents and scripts.'],
  ['Console', 'How browsers sign in, and where somebody is signed in.'],
  ['Demo', 'An organization with an invented year, to look around in.'],
  ['Health', 'For load balancers and orchestrators; no credentials.'],
];

export function buildOpenApiDocument(app: INestApplication): OpenAPIObject {
  const builder = new DocumentBuilder()
    .setTitle('Agent Platform API')
    .setDescription(DESCRIPTION)
    .setVersion(VERSION)
    .setOpenAPIVersion('3.1.0')
    .addServer('/', 'This host.')
    .addBearerAuth(
      { type: 'http', scheme: 'bearer', description: 'An API key (`apk_...`) or an SSO token (JWT).' },
      'bearer',
    );
  for (const [name, description] of TAGS) builder.addTag(name, description);
  const document = SwaggerModule.createDocument(app, builder.build(), {
    // The second path of a route is the alias.
    operationIdFactory: (_controller, method) => method.replace('[0]', '').replace('[1]', 'Alias'),
  });
  placeBodyContents(document);
  keepUsefulExamples(document);
  declareOpenRoutes(document);
  return document;
}

/** Linters take a route that says nothing about credentials for a mistake. */
function declareOpenRoutes({ paths }: OpenAPIObject): void {
  for (const operation of Object.values(paths).flatMap((path) => Object.values(path) as { security?: object[] }[])) {
    operation.security ??= [];
  }
}
