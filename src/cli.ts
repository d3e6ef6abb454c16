import 'reflect-metadata';
import { once } from 'node:events';
import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Command, Option } from 'commander';
import { AppModule } from './app.module.js';
import { ALL_ROLES, Role } from './common/access/role.enum.js';
import { DomainError } from './common/errors/domain-error.js';
import { createLogger, NestLogger } from './common/logging/logger.js';
import { exit, ignoreLostOutput } from './common/logging/lost-output.js';
import { loadConfig } from './config/load-config.js';
import { AnalyticsCommands } from './modules/analytics/analytics-commands.js';
import { ConsoleCommands } from './modules/console/console-commands.js';
import { DemoCommands } from './modules/demo/demo-commands.js';
import { ErasureCommands } from './modules/erasure/erasure-commands.js';
import { API_KEY_SCOPES, type ApiKeyScope } from './modules/organization/api-keys/api-key.entity.js';
import { OperatorCommands } from './modules/organization/operator-commands.js';
import { OrganizationsService } from './modules/organization/organizations/organizations.service.js';
import { TeamCommands } from './modules/organization/teams/team-commands.js';
import { TelemetryTail } from './modules/telemetry/telemetry-tail.js';
import { checkOpenApiDocument, writeOpenApiDocument } from './openapi-file.js';
import { withProgress } from './progress.js';
import { openDatabase } from './startup.js';
import { listenForStop } from './stop-signals.js';

/** Exit status of a program that was ended by Ctrl-C. */
const EXIT_INTERRUPTED = 130;

const program = new Command('cli')
  .description('Operator commands. They work beside a running service, and without one.')
  .showHelpAfterError();

const organizationOption = new Option(
  '--org <organization>',
  'id, external id or name; may be left out when there is only one',
);

program
  .command('migrate')
  .description('bring the database up to date')
  .action(() => withDatabase(() => Promise.resolve('The database is up to date.')));

const org = program.command('org').description('organizations');
org
  .command('create')
  .description('found an organization with its owner, and print the owner’s API key')
  .requiredOption('--name <name>', 'name of the organization')
  .requiredOption('--owner-email <email>', 'e-mail address of its owner')
  .option('--external-id <id>', 'the id by which your SSO knows it')
  .action((options: { name: string; ownerEmail: string; externalId?: string }) =>
    withDatabase((app) => app.get(OperatorCommands).createOrganization(options)),
  );

const key = program.command('key').description('API keys');
key
  .command('create')
  .description('create an API key for a user, and print it')
  .addOption(organizationOption)
  .requiredOption('--email <email>', 'whose key it is')
  .option('--name <name>', 'what it is for', 'made by an operator')
  .addOption(new Option('--scope <scope>', 'what it may be used for').choices(API_KEY_SCOPES).default('full'))
  .action((options: { org?: string; email: string; name: string; scope: ApiKeyScope }) =>
    withDatabase((app) => app.get(OperatorCommands).createKey(options)),
  );
key
  .command('revoke')
  .description('revoke an API key')
  .addOption(organizationOption)
  .requiredOption('--id <id>', 'id of the key, as `GET /api/v0/api-keys` shows it')
  .action((options: { org?: string; id: string }) =>
    withDatabase((app) => app.get(OperatorCommands).revokeKey(options)),
  );

const user = program.command('user').description('users');
user
  .command('set-role')
  .description('change the role of a user')
  .addOption(organizationOption)
  .requiredOption('--email <email>', 'e-mail address of the user')
  .addOption(new Option('--role <role>', 'the new role').choices(ALL_ROLES).makeOptionMandatory())
  .action((options: { org?: string; email: string; role: Role }) =>
    withDatabase((app) => app.get(OperatorCommands).setRole(options)),
  );

user
  .command('erase')
  .description('erase a deactivated user: name and address disappear, their sessions are deleted, figures stay')
  .addOption(organizationOption)
  .requiredOption('--user <user>', 'id or e-mail address of the user')
  .action((options: { org?: string; user: string }) => withDatabase((app) => app.get(ErasureCommands).erase(options)));

const teams = program.command('teams').description('teams and who is in them');
teams
  .command('import')
  .description('put people into teams as a CSV file says, with the columns email,team,from,to; all or nothing')
  .argument('<file>', 'the file; for everybody in it, its lines replace the memberships they had')
  .addOption(organizationOption)
  .option('--dry-run', 'only check the file and say what would change')
  .action((file: string, options: { org?: string; dryRun?: boolean }) =>
    withDatabase((app) => app.get(TeamCommands).importFile({ file, ...options })),
  );

program
  .command('sign-in')
  .description('print a link that signs in to the console, once, within 15 minutes')
  .addOption(organizationOption)
  .option('--user <email>', 'whom it signs in; the first owner when left out')
  .action((options: { org?: string; user?: string }) =>
    withDatabase((app) => app.get(ConsoleCommands).signIn(options)),
  );

const controls = program.command('controls').description('enterprise controls');
controls
  .command('reset')
  .description('empty the controls of an organization, for an owner who locked everybody out')
  .addOption(organizationOption)
  .action((options: { org?: string }) => withDatabase((app) => app.get(OperatorCommands).resetControls(options)));

const secrets = program.command('secrets').description('stored secrets');
secrets
  .command('reseal')
  .description(
    'seal stored secrets of all organizations with the key in SECRETS_KEY, opening them with SECRETS_KEY_PREVIOUS',
  )
  .action(() => withDatabase((app) => app.get(OperatorCommands).resealSecrets()));

const dayRange = (command: Command) =>
  command
    .addOption(new Option('--org <organization>', 'id, external id or name; all organizations when left out'))
    .requiredOption('--from <day>', 'first day, YYYY-MM-DD')
    .requiredOption('--to <day>', 'last day, YYYY-MM-DD');

dayRange(
  program.command('aggregate').description('compute the figures of closed days anew from their raw events'),
).action((options: DayOptions) =>
  withDatabase((app) => onDays(app, options, 'Computing days', (commands) => commands.aggregate.bind(commands))),
);
dayRange(
  program
    .command('verify')
    .description('recount days from raw events, and fail when a figure differs from what is served'),
).action((options: DayOptions) =>
  withDatabase((app) => onDays(app, options, 'Comparing', (commands) => commands.verify.bind(commands))),
);

program
  .command('demo')
  .description('fill an organization of its own with an invented year: people, sessions, readiness reports, usage')
  .option('--remove', 'remove this organization, with everything in it')
  .action(({ remove }: { remove?: boolean }) =>
    withDatabase((app) => {
      const demo = app.get(DemoCommands);
      return remove ? demo.remove() : demo.fill(withProgress, (text) => process.stdout.write(`${text}\n`));
    }),
  );

const telemetry = program.command('telemetry').description('OpenTelemetry of agents');
telemetry
  .command('tail')
  .description('show what telemetry arrives, how it is mapped and what is ignored, until Ctrl-C')
  .action(() => withDatabase(watchTelemetry, { isEndless: true }));

program
  .command('openapi')
  .description('write the OpenAPI document to a file, or check that the file is up to date')
  .option('--file <file>', 'the file', 'openapi.json')
  .option('--check', 'only compare; fails when they differ')
  .action(async ({ file, check }: { file: string; check?: boolean }) => {
    await (check ? checkOpenApiDocument(file) : writeOpenApiDocument(file));
  });

ignoreLostOutput(process.stdout);
ignoreLostOutput(process.stderr);
await program.parseAsync().catch(fail);

/**
 * Runs a command and prints its result. Starts the embedded database if none runs; a signal aborts the command and
 * stops the database.
 */
async function withDatabase(
  work: (app: INestApplicationContext, stopRequested: AbortSignal) => Promise<string>,
  { isEndless = false } = {},
): Promise<void> {
  const config = loadConfig();
  const logger = createLogger({ level: 'warn', format: config.log.format });
  const app = await NestFactory.createApplicationContext(AppModule.of(config), { logger: new NestLogger(logger) });
  const progress = (message: string) => process.stderr.write(`${message}\n`);
  const { stopRequested } = listenForStop();
  const closeDatabase = await openDatabase(app, { progress, signal: stopRequested, joinRunning: true });
  const interrupted = once(stopRequested, 'abort').then(() => null);
  const working = work(app, stopRequested);
  try {
    const result = await (isEndless ? working : Promise.race([working, interrupted]));
    if (result === null) throw stopRequested.reason;
    process.stdout.write(`${result}\n`);
  } finally {
    working.catch(() => undefined);
    await app.close();
    await closeDatabase({ isForced: stopRequested.aborted });
  }
}

interface DayOptions {
  org?: string;
  from: string;
  to: string;
}

type DayCommand = AnalyticsCommands['aggregate'];

async function onDays(
  app: INestApplicationContext,
  { org, from, to }: DayOptions,
  title: string,
  choose: (commands: AnalyticsCommands) => DayCommand,
): Promise<string> {
  const orgId = org === undefined ? null : (await app.get(OrganizationsService).resolve(org)).id;
  return withProgress(title, (progress) => choose(app.get(AnalyticsCommands))({ from, to, orgId }, progress));
}

async function watchTelemetry(app: INestApplicationContext, stopRequested: AbortSignal): Promise<string> {
  process.stderr.write('Waiting for telemetry. Ctrl-C ends this.\n');
  await app.get(TelemetryTail).watch((line) => process.stdout.write(`${line}\n`), stopRequested);
  return '';
}

function fail(error: unknown): never {
  if (error instanceof Error && error.name === 'AbortError') exit(EXIT_INTERRUPTED);
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  if (!(error instanceof DomainError) && error instanceof Error) process.stderr.write(`${error.stack ?? ''}\n`);
  exit(1);
}
