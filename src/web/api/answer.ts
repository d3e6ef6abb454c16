import type { operations } from 'openapi-types';

/** The JSON that an operation answers with 200. */
export type Answer<Name extends keyof operations> = operations[Name] extends {
  responses: { 200: { content: { 'application/json': infer Body } } };
}
  ? Body
  : never;
