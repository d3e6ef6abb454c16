import { ApiBody, ApiExtension, type OpenAPIObject } from '@nestjs/swagger';
import { applyDecorators } from '@nestjs/common';

/** What a body may be, by media type; for bodies that have another shape in each. */
export const ApiBodyContent = (description: string, content: Record<string, object>) =>
  applyDecorators(ApiBody({ description, required: true, schema: {} }), ApiExtension('x-body-content', content));

/** The generator knows bodies of one shape only: the others wait in an extension for being put in their place. */
export function placeBodyContents({ paths }: OpenAPIObject): void {
  for (const operation of Object.values(paths).flatMap((path) => Object.values(path) as DocumentedOperation[])) {
    const content = operation['x-body-content'];
    if (!content || !operation.requestBody) continue;
    operation.requestBody.content = content;
    delete operation['x-body-content'];
  }
}

interface DocumentedOperation {
  requestBody?: { content: object };
  'x-body-content'?: object;
}
