import { join, posix, relative } from 'node:path';
import eslint from '@eslint/js';
import prettier from 'eslint-config-prettier';
import tseslint from 'typescript-eslint';

/** What each top folder of src may import; files beside them (main.ts, cli.ts ...) may import all and are imported by none. */
const LAYERS = {
  common: [],
  protocol: [],
  'embedded-postgres': [],
  prices: ['common'],
  config: ['common', 'prices'],
  database: ['common', 'config'],
  http: ['common', 'config'],
  idempotency: ['common', 'database'],
  modules: ['common', 'prices', 'config', 'database', 'http', 'idempotency', 'protocol'],
  auth: ['common', 'config', 'database', 'http', 'modules'],
  agent: ['protocol'],
  // Pure functions alone: nothing of `common` that a browser lacks may follow.
  web: ['common'],
};

/** Modules, or single files of them, that a module may import. */
const MODULES = {
  organization: [],
  readiness: [],
  ingest: [],
  health: ['ingest'],
  telemetry: ['ingest'],
  analytics: ['ingest/event-codes', 'ingest/dirty-days', 'ingest/stored-names'],
  computers: ['organization'],
  sessions: ['computers', 'organization', 'ingest'],
  turns: ['sessions', 'computers', 'organization', 'ingest'],
  messages: ['turns', 'sessions', 'computers', 'organization', 'ingest'],
  relay: ['messages', 'turns', 'sessions', 'computers', 'organization', 'ingest'],
  live: ['sessions', 'computers', 'organization'],
  erasure: ['sessions', 'computers', 'organization', 'analytics'],
  console: ['organization'],
  demo: ['messages', 'turns', 'sessions', 'computers', 'organization', 'ingest', 'analytics', 'readiness'],
};

/** Modules that stand above `auth`, because they sign people in; `auth` itself imports only `organization`. */
const ABOVE_AUTH = ['console'];

/** What the folders of the agent client may import of it; the files beside them may import all. */
const AGENT_FOLDERS = {
  shared: [],
  acp: ['shared'],
  hooks: ['shared'],
  relay: ['shared'],
  session: ['acp', 'hooks', 'relay', 'shared'],
};

/** Inside a module, what a file of each kind may not import. */
const KINDS = {
  service: ['controller', 'dto'],
  repository: ['controller', 'service', 'dto'],
  entity: ['controller', 'service', 'repository', 'dto'],
};

/** Kinds of files that stay inside their module. */
const PRIVATE_KINDS = ['repository', 'dto'];

const SRC = join(import.meta.dirname, 'src');
const kindOf = (path) => /\.(\w+)$/.exec(path.replace(/\.[jt]s$/, ''))?.[1];
const isListed = (list, path) => list.some((entry) => path === entry || path.startsWith(`${entry}/`));

/** Why the file `from` may not import the file `to`, both relative to src; null: it may. */
function objection(from, to) {
  const [layer, module] = from.split('/');
  const [otherLayer, otherModule] = to.split('/');
  if (!(layer in LAYERS)) return null;
  if (layer === 'modules' && otherLayer === 'auth' && ABOVE_AUTH.includes(module)) return null;
  if (layer === 'auth' && otherLayer === 'modules' && otherModule !== 'organization') {
    return 'auth imports no module but organization.';
  }
  if (layer !== otherLayer && !LAYERS[layer].includes(otherLayer)) {
    return `${layer} may not import ${otherLayer}; see LAYERS in eslint.config.mjs.`;
  }
  if (layer === 'agent' && otherLayer === 'agent' && module in AGENT_FOLDERS) {
    const isFine = module === otherModule || AGENT_FOLDERS[module].includes(otherModule);
    return isFine ? null : `agent/${module} may not import ${to}; see AGENT_FOLDERS in eslint.config.mjs.`;
  }
  if (layer !== 'modules' || otherLayer !== 'modules') return null;
  if (KINDS[kindOf(from)]?.includes(kindOf(to))) return 'Imports go controller -> service -> repository -> entity.';
  if (module === otherModule) return null;
  if (!isListed(MODULES[module] ?? [], to.replace(/^modules\//, '').replace(/\.[jt]s$/, ''))) {
    return `${module} may not import ${to}; see MODULES in eslint.config.mjs.`;
  }
  if (PRIVATE_KINDS.includes(kindOf(to))) return `A .${kindOf(to)} file is private to its module.`;
  return null;
}

const importDirection = {
  meta: { type: 'problem', schema: [] },
  create(context) {
    const from = relative(SRC, context.filename).replaceAll('\\', '/');
    const check = (node) => {
      const specifier = node.source?.value;
      if (typeof specifier !== 'string' || !specifier.startsWith('.')) return;
      const message = objection(from, posix.join(posix.dirname(from), specifier));
      if (message !== null) context.report({ node, message });
    };
    return {
      ImportDeclaration: check,
      ImportExpression: check,
      ExportAllDeclaration: check,
      ExportNamedDeclaration: check,
    };
  },
};

export default tseslint.config(
  {
    ignores: [
      'dist',
      'node_modules',
      'coverage',
      '.data',
      'test/client',
      '.test-build',
      '.dev/types',
      'src/web/public',
    ],
  },
  eslint.configs.recommended,
  ...tseslint.configs.strictTypeChecked,
  {
    languageOptions: { parserOptions: { project: './tsconfig.json', tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/no-extraneous-class': 'off', // Nest modules are classes without members
      '@typescript-eslint/restrict-template-expressions': [
        'error',
        { allowNumber: true, allowBoolean: true, allow: [{ from: 'file', name: 'UtcDay' }] },
      ],
      '@typescript-eslint/no-confusing-void-expression': 'off',
      '@typescript-eslint/no-unsafe-enum-comparison': 'off', // roles are compared with what tokens and requests say
      '@typescript-eslint/no-unsafe-enum-assignment': 'off',
      '@typescript-eslint/no-misused-spread': 'off', // rows, DTOs and code points are spread on purpose
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      'no-restricted-properties': [
        'error',
        {
          object: 'process',
          property: 'env',
          message: 'Only src/config and the main file of the agent client read the environment.',
        },
      ],
    },
  },
  {
    files: ['src/web/**', 'test/unit/web/**'],
    languageOptions: { parserOptions: { project: './src/web/tsconfig.json' } },
  },
  {
    files: ['src/**'],
    plugins: { project: { rules: { 'import-direction': importDirection } } },
    rules: { 'project/import-direction': 'error' },
  },
  { files: ['src/config/**', 'src/agent/main.ts', 'test/**', '.dev/**'], rules: { 'no-restricted-properties': 'off' } },
  {
    files: ['test/**'],
    rules: {
      '@typescript-eslint/no-unsafe-assignment': 'off', // answers of the API are asserted on, not typed
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
    },
  },
  {
    files: ['**/*.mjs'],
    ...tseslint.configs.disableTypeChecked,
    languageOptions: {
      globals: {
        process: 'readonly',
        console: 'readonly',
        URL: 'readonly',
        performance: 'readonly',
        setTimeout: 'readonly',
        setInterval: 'readonly',
        clearInterval: 'readonly',
        globalThis: 'readonly',
        Buffer: 'readonly',
        AbortController: 'readonly',
        fetch: 'readonly',
      },
      parserOptions: { project: null },
    },
  },
  prettier,
);
