import type { SwaggerCustomOptions } from '@nestjs/swagger';

type Json = Record<string, unknown>;
type Resolve = (document: Json, path: string[], options?: object) => Promise<unknown>;
interface System {
  fn: { resolveSubtree: Resolve };
  specActions: { updateJsonSpec: (document: unknown) => void };
  React: {
    createElement: (component: unknown, props: object, ...children: unknown[]) => object;
    startTransition: (work: () => void) => void;
    useEffect: (effect: () => void, dependencies: unknown[]) => void;
    useState: (first: boolean) => [boolean, (next: boolean) => void];
  };
}

export const docsPage: SwaggerCustomOptions = {
  customSiteTitle: 'Agent Platform API',
  swaggerOptions: {
    persistAuthorization: true,
    displayRequestDuration: true,
    showCommonExtensions: true,
    plugins: [readAsJson, resolvePartly, showTagsFirst],
  },
};

/*
 * The plugins run in the browser: `@nestjs/swagger` writes their text into a script, so each uses nothing outside itself.
 */

/** Swagger UI reads the document as YAML, which takes ten times as long. */
function readAsJson(): object {
  const parseToJson =
    (text: string) =>
    ({ specActions }: System) =>
      specActions.updateJsonSpec(JSON.parse(text));
  return { statePlugins: { spec: { actions: { parseToJson } } } };
}

/**
 * Before it shows a part, Swagger UI resolves the references of the whole document, which takes seconds. It gets a document that
 * has only that part, and the components that are mentioned in it.
 */
function resolvePartly({ fn: { resolveSubtree } }: System): object {
  const within = (tree: unknown, path: string[]): unknown =>
    path.reduce((node, key) => (node as Json | undefined)?.[key], tree);

  const put = (tree: Json, [key = '', ...rest]: string[], value: unknown): void => {
    if (rest.length === 0) tree[key] = value;
    else put((tree[key] ??= {}) as Json, rest, value);
  };

  const mentions = (node: unknown): string[] => {
    if (typeof node === 'string') return node.startsWith('#/components/') ? [node] : [];
    return typeof node === 'object' && node !== null ? Object.values(node).flatMap(mentions) : [];
  };

  const copy = (document: Json, part: Json, path: string[]): void => {
    if (within(part, path) !== undefined) return;
    const value = within(document, path);
    put(part, path, value);
    for (const mention of mentions(value)) copy(document, part, mention.slice(2).split('/'));
  };

  const partOf = (document: Json, path: string[]): Json => {
    const securitySchemes = within(document, ['components', 'securitySchemes']);
    const part = { ...document, paths: {}, components: { securitySchemes } };
    copy(document, part, path.slice(0, path[0] === 'paths' ? 2 : 3));
    return part;
  };

  const resolvePart: Resolve = (document, path, options) => resolveSubtree(partOf(document, path), path, options);
  return { fn: { resolveSubtree: resolvePart } };
}

/** The tags are there at once; their operations follow piece by piece, while the page already answers. */
function showTagsFirst({ React }: System): object {
  const wrapTag =
    (Tag: unknown) =>
    ({ children, ...props }: { children?: unknown }) => {
      const [isFilled, setFilled] = React.useState(false);
      React.useEffect(() => React.startTransition(() => setFilled(true)), []);
      return React.createElement(Tag, props, isFilled ? children : null);
    };
  return { wrapComponents: { OperationTag: wrapTag } };
}
