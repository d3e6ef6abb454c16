import eslint from '@eslint/js';
import prettier from 'eslint-config-prettier';
import tseslint from 'typescript-eslint';

const SERVICE_ONLY = ['auth', 'modules', 'common', 'config', 'database'];
/** The files of src/agent itself, which are above its folders. */
const AGENT_PROGRAM = [
  'agent-[a-z]+',
  'connect',
  'credentials',
  'doctor',
  'login',
  'main',
  'own-computer',
  'platform-api',
];

/** Folders that a folder of src may not import from. Imports point down only; see CONTRIBUTING.md. */
const FORBIDDEN_IMPORTS = {
  'src/{common,config,database}/**': [
    'auth',
    'modules',
    'agent',
    'protocol',
    'app.module',
    'setup-app',
    'startup',
    'main',
    'cli',
  ],
  'src/auth/**': ['agent', 'protocol', 'app.module', 'setup-app', 'startup', 'main', 'cli'],
  'src/modules/**': ['auth', 'agent', 'app.module', 'setup-app', 'startup', 'main', 'cli'],
  'src/protocol/**': ['auth', 'modules', 'common', 'config', 'database', 'agent'],
  'src/agent/**': SERVICE_ONLY,
  'src/agent/session/**': [...SERVICE_ONLY, ...AGENT_PROGRAM],
  'src/agent/{acp,hooks,relay,shared}/**': [...SERVICE_ONLY, ...AGENT_PROGRAM, 'acp', 'hooks', 'relay', 'session'],
};

/** Modules that a module may import, besides what is below all of them. */
const MODULE_ORDER = {
  organization: [],
  health: ['ingest'],
  readiness: [],
  computers: ['organization'],
  ingest: [],
  analytics: [],
  sessions: ['computers', 'organization', 'ingest'],
  turns: ['sessions', 'computers', 'organization', 'ingest'],
  messages: ['turns', 'sessions', 'computers', 'organization', 'ingest'],
  telemetry: ['ingest'],
  relay: ['messages', 'turns', 'sessions', 'computers', 'organization', 'ingest'],
  erasure: ['sessions', 'computers', 'organization', 'analytics'],
  demo: ['messages', 'turns', 'sessions', 'computers', 'organization', 'ingest', 'analytics', 'readiness'],
};

const below = (folder) => `(\\.\\./)+(${folder})(/|\\.js$)`;

const layerRules = Object.entries(FORBIDDEN_IMPORTS).map(([files, folders]) => ({
  files: [files],
  // The data source has to name every entity.
  ignores: ['src/database/entities.ts'],
  rules: {
    'no-restricted-imports': [
      'error',
      {
        patterns: folders.map((folder) => ({
          regex: below(folder),
          message: `${files} may not import from ${folder}.`,
        })),
      },
    ],
  },
}));

const moduleRules = Object.entries(MODULE_ORDER).map(([module, allowed]) => ({
  files: [`src/modules/${module}/**`],
  rules: {
    'no-restricted-imports': [
      'error',
      {
        patterns: [
          ...FORBIDDEN_IMPORTS['src/modules/**'].map((folder) => ({
            regex: below(folder),
            message: `A module may not import from ${folder}.`,
          })),
          ...Object.keys(MODULE_ORDER)
            .filter((other) => other !== module && !allowed.includes(other))
            .map((other) => ({ regex: below(other), message: `${module} may not import from ${other}.` })),
        ],
      },
    ],
  },
}));

/** Inside a module: controller -> service -> repository -> entity. */
const silhouetteRules = [
  { files: ['src/modules/**/*.repository.ts'], kinds: 'controller|service|dto' },
  { files: ['src/modules/**/*.service.ts'], kinds: 'controller|dto' },
  { files: ['src/modules/**/*.entity.ts'], kinds: 'controller|service|repository|dto' },
].map(({ files, kinds }) => ({
  files,
  rules: {
    'no-restricted-syntax': [
      'error',
      {
        selector: `ImportDeclaration[source.value=/\\.(${kinds})\\.js$/][source.value!=/database\\.service/]`,
        message: 'Imports inside a module go controller -> service -> repository -> entity.',
      },
    ],
  },
}));

export default tseslint.config(
  { ignores: ['dist', 'node_modules', 'coverage', '.data', 'test/client', '.test-build'] },
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
  ...layerRules,
  ...moduleRules,
  ...silhouetteRules,
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
