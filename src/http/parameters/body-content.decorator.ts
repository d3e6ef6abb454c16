import { ApiBody, ApiExtension, type OpenAPIObject } from '@nestjs/swagger';
import { applyDecorators } from '@nestjs/common';

/** Documents a body that has a different shape in each media type. */
export const ApiBodyContent = (description: string, content: Record<string, object>) =>
  applyDecorators(ApiBody({ description, required: true, schema: {} }), ApiExtension('x-body-content', content));

/** The generator of the API document knows only one shape per body; the others are passed in an extension. */
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
