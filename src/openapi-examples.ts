import type { OpenAPIObject } from '@nestjs/swagger';

/** Where the ids of a path come from, said where Swagger UI asks for them. */
const SOURCES: Record<string, string> = {
  userId: 'GET /api/v0/organization/users',
  teamId: 'GET /api/v0/organization/teams',
  keyId: 'GET /api/v0/api-keys',
  consoleSessionId: 'GET /api/v0/me/sessions',
  computerId: 'GET /api/v0/computers',
  sessionId: 'GET /api/v0/sessions',
  messageId: 'GET /api/v0/sessions/{sessionId}/messages',
  reportId: 'GET /api/organization/maturity-level-reports',
};

/** Where every field may be left out, or where the examples of the required ones are more than it takes to try. */
const SMALLEST_BODIES: Record<string, object> = {
  updateUser: { role: 'member' },
  replaceEnterpriseControls: { maxAutonomyLevel: 'high' },
  replacePrices: { prices: [{ provider: 'anthropic', factor: '0.9', since: '2026-11-01' }] },
  previewPrices: { prices: [{ provider: 'anthropic', factor: '0.9', since: '2026-11-01' }] },
  setTeamMembers: { members: [] },
  updateComputer: { remoteUser: 'deploy' },
  changeComputerAccess: { access: 'organization' },
  createSession: { computerId: 'a computerId of GET /api/v0/computers' },
  signIn: { apiKey: 'an API key' },
  updateSession: { sessionSettings: { autonomyLevel: 'low' } },
};

/** What Swagger UI cannot show. */
const ENDLESS: Record<string, string> = {
  followSession: 'the stream does not end by itself',
  connectAgent: 'it is a WebSocket',
  connectClient: 'it is a WebSocket',
  beginSso: 'it leads the browser away',
  finishSso: 'it leads the browser away',
};

/** The contract types these as text; every other `limit` is a number. */
const TEXT_LIMITS = new Set([
  '/api/v0/sessions',
  '/api/v0/sessions/{sessionId}/messages',
  '/api/v0/organization/users',
  '/api/v0/organization/enterprise-controls/history',
]);

interface Schema {
  $ref?: string;
  allOf?: Schema[];
  type?: string;
  format?: string;
  example?: unknown;
  default?: unknown;
  required?: string[];
  properties?: Record<string, Schema>;
  items?: Schema;
}

interface Parameter {
  in: string;
  name: string;
  required?: boolean;
  description?: string;
  example?: unknown;
  schema: Schema & { minimum?: number; maximum?: number; pattern?: string };
}

interface Operation {
  operationId: string;
  description?: string;
  parameters?: Parameter[];
  requestBody?: { content: Record<string, { schema?: Schema; example?: unknown }> };
}

/**
 * Swagger UI fills forms in with examples. Only what works on every installation stays: no cursor, id or idempotency key
 * that was never issued, and the smallest body that does something.
 */
export function keepUsefulExamples(document: OpenAPIObject): void {
  const schemas = (document.components?.schemas ?? {}) as Record<string, Schema>;
  for (const [path, operations] of Object.entries(document.paths)) {
    for (const operation of Object.values(operations) as Operation[]) {
      for (const parameter of operation.parameters ?? []) tidyParameter(parameter, TEXT_LIMITS.has(path));
      const why = ENDLESS[operation.operationId];
      if (why !== undefined) {
        operation.description = `**Not executable in Swagger UI**: ${why}.\n\n${operation.description ?? ''}`;
      }
      for (const content of Object.values(operation.requestBody?.content ?? {})) {
        content.example ??= SMALLEST_BODIES[operation.operationId] ?? smallestOf(content.schema ?? {}, schemas);
      }
    }
  }
}

function tidyParameter(parameter: Parameter, isTextLimit: boolean): void {
  const { in: place, name, schema } = parameter;
  const isId = place === 'path' && schema.format === 'uuid';
  if (!parameter.required || isId) {
    delete parameter.example;
    delete schema.example;
  }
  const source = SOURCES[name];
  if (isId && source !== undefined)
    parameter.description = `${parameter.description ?? ''} \`${source}\` shows it.`.trim();
  if (name === 'limit' && schema.type === 'string' && !isTextLimit) {
    parameter.schema = { type: 'integer', minimum: 1, maximum: 100, default: 20 };
  }
}

/** The required fields with their examples; undefined when there are none. */
function smallestOf(schema: Schema, schemas: Record<string, Schema>): unknown {
  const { example, items, properties, required = [] } = resolve(schema, schemas);
  if (example !== undefined) return example;
  if (items) return [smallestOf(items, schemas)];
  if (!properties || required.length === 0) return undefined;
  return Object.fromEntries(required.map((name) => [name, smallestOf(properties[name] ?? {}, schemas)]));
}

function resolve(schema: Schema, schemas: Record<string, Schema>): Schema {
  const reference = schema.$ref ?? schema.allOf?.[0]?.$ref;
  return reference === undefined ? schema : (schemas[reference.split('/').at(-1) ?? ''] ?? {});
}
