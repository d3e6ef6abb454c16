import { readFileSync } from 'node:fs';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { ApiAnswer } from './api-client.js';

interface Operation {
  responses: Record<string, { content?: Record<string, { schema: object }> }>;
}

interface Document {
  paths: Record<string, Record<string, Operation | undefined>>;
  components: object;
}

const document = JSON.parse(readFileSync('openapi.json', 'utf8')) as Document;
const ajv = new Ajv2020({ strict: false, allErrors: true });
(addFormats as unknown as (ajv: Ajv2020) => void)(ajv);
ajv.addSchema({ $id: 'document', components: closed(document.components) });
const validators = new Map<string, ValidateFunction>();

export function documentedPaths(): [path: string, methods: string[]][] {
  return Object.entries(document.paths).map(([path, methods]) => [path, Object.keys(methods)]);
}

/**
 * Fails unless the API document has this method and path, with this status, media type and body. Answers to unknown
 * paths and methods belong to no operation and are exempt.
 */
export function expectDocumented(method: string, url: string, answer: ApiAnswer): void {
  const path = url.split('?', 1)[0] ?? '';
  // A fixed path has priority over one with a parameter.
  const template =
    path in document.paths ? path : Object.keys(document.paths).find((candidate) => matches(candidate, path));
  const operation = template && document.paths[template]?.[method === 'head' ? 'get' : method];
  if (!operation) {
    expect([404, 405]).toContain(answer.status);
    return;
  }
  const where = `${method.toUpperCase()} ${template}`;
  const described = operation.responses[answer.status];
  if (!described) throw new Error(`${where} answered ${answer.status}, which is not documented: ${answer.text}`);
  if (method === 'head' || [204, 303, 304].includes(answer.status)) return;
  const mediaType = (answer.headers['content-type'] ?? '').split(';', 1)[0] ?? '';
  const schema = described.content?.[mediaType]?.schema;
  if (!schema) throw new Error(`${where} answered ${answer.status} as ${mediaType}, which is not documented`);
  const validate = validator(`${where} ${answer.status} ${mediaType}`, schema);
  if (!validate(/[/+]json\b/.test(mediaType) ? answer.body : answer.text)) {
    throw new Error(
      `${where} ${answer.status} does not fit the document: ${ajv.errorsText(validate.errors)}\n${answer.text}`,
    );
  }
}

/** Forbids additional properties, to find undocumented fields. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== 'object' || schema === null) return schema;
  const copy = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, closed(value)]));
  return 'properties' in copy && !('additionalProperties' in copy) ? { ...copy, additionalProperties: false } : copy;
}

function validator(key: string, schema: object): ValidateFunction {
  const known = validators.get(key);
  if (known) return known;
  const made = ajv.compile(absolute(schema) as object);
  validators.set(key, made);
  return made;
}

function absolute(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(absolute);
  if (typeof schema !== 'object' || schema === null) return schema;
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]) =>
      key === '$ref' && typeof value === 'string' ? [key, value.replace(/^#/, 'document#')] : [key, absolute(value)],
    ),
  );
}

function matches(template: string, path: string): boolean {
  const pattern = template.split('/');
  const parts = path.split('/');
  return pattern.length === parts.length && pattern.every((part, i) => part.startsWith('{') || part === parts[i]);
}
