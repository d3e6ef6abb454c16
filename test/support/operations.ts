import { readFileSync } from 'node:fs';

export interface Schema {
  $ref?: string;
  allOf?: Schema[];
  oneOf?: Schema[];
  const?: unknown;
  type?: string | string[];
  format?: string;
  enum?: unknown[];
  pattern?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  example?: unknown;
  examples?: unknown[];
}

export interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required?: boolean;
  description?: string;
  example?: unknown;
  schema: Schema;
}

export interface Operation {
  readonly method: string;
  readonly path: string;
  readonly description: string;
  readonly parameters: Parameter[];
  /** null when there is none. */
  readonly body: Schema | null;
  /** The JSON body with which Swagger UI begins. */
  readonly example: object | undefined;
}

interface DocumentOperation {
  description?: string;
  parameters?: Parameter[];
  requestBody?: { content: Record<string, { schema: Schema; example?: object } | undefined> };
}

interface Document {
  paths: Record<string, Record<string, DocumentOperation>>;
  components: { schemas: Record<string, Schema> };
}

const document = JSON.parse(readFileSync('openapi.json', 'utf8')) as Document;

/** Every operation of the committed API document: tests over all of them cover new ones automatically. */
export const OPERATIONS: Operation[] = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, { description = '', parameters = [], requestBody }]) => ({
    method: method.toUpperCase(),
    path,
    description,
    parameters,
    body: requestBody?.content['application/json']?.schema ?? null,
    example: requestBody?.content['application/json']?.example,
  })),
);

/** Follows a reference. */
export function resolved(schema: Schema): Schema {
  const name = (schema.$ref ?? schema.allOf?.[0]?.$ref)?.split('/').at(-1);
  const found = name === undefined ? schema : document.components.schemas[name];
  if (!found) throw new Error(`The API document has no schema ${schema.$ref}`);
  return found;
}

/** The example of the API document. */
export function exampleOf(schema: Schema): unknown {
  const { example, examples, enum: choices, type, items, properties, required = [] } = resolved(schema);
  const given = example ?? examples?.[0] ?? choices?.[0];
  if (given !== undefined) return given;
  if (properties) {
    return Object.fromEntries(required.map((name) => [name, exampleOf(properties[name] ?? {})]));
  }
  if (items) return [exampleOf(items)];
  return [type].flat()[0] === 'boolean' ? true : 1;
}

/** Parameters without a value get the UUID of nothing. */
export function fillPath(path: string, values: Record<string, string> = {}): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? '01980f5e-ffff-7fff-bfff-ffffffffffff');
}

/** An example for each required parameter. */
export function requiredQuery({ parameters }: Operation): string {
  const required = parameters.filter((parameter) => parameter.in === 'query' && parameter.required);
  return required.map(({ name, schema }) => `${name}=${encodeURIComponent(String(exampleOf(schema)))}`).join('&');
}
