#!/usr/bin/env node
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { Command, InvalidArgumentError, Option } from 'commander';
import { runEchoAgent } from './acp/echo-agent.js';
import { AgentHome } from './shared/agent-home.js';
import { connect } from './connect.js';
import { examine } from './doctor.js';
import { listHooks, testHook } from './hooks/hook-commands.js';
import { consoleLog } from './shared/log.js';
import { login } from './login.js';

const { version } = createRequire(import.meta.url)('../../package.json') as { version: string };
const home = AgentHome.fromEnv(process.env);
/** Without the API keys. */
const env = { ...process.env, AGENT_PLATFORM_KEY: undefined, AGENT_PLATFORM_TELEMETRY_KEY: undefined };

const program = new Command('agent')
  .description('Makes this machine a computer of your organization, on which its sessions run.')
  .version(version)
  .showHelpAfterError();

const urlOption = new Option('--url <url>', 'address of the service').env('AGENT_PLATFORM_URL');
const keyOption = new Option('--key <key>', 'API key, where there was no "login"; others can see it').env(
  'AGENT_PLATFORM_KEY',
);
const telemetryKeyOption = new Option(
  '--telemetry-key <key>',
  'API key of scope telemetry, for agents that tell more there than over ACP; "login --telemetry" makes one',
).env('AGENT_PLATFORM_TELEMETRY_KEY');
const dirOption = new Option(
  '--dir <directory>',
  'each session works in a directory of its own below this one',
).default(join(home.directory, 'work'));

program
  .command('login')
  .description('exchange the API key on standard input for a token that speaks for this computer only')
  .addOption(new Option('--url <url>', 'address of the service').env('AGENT_PLATFORM_URL').makeOptionMandatory())
  .option('--name <name>', 'name of this computer, by default the host name; it is registered when there is none')
  .option('--computer <id>', 'id of the computer whose token, instead of an API key, is on standard input')
  .option('--telemetry', 'also make a key with which agents may report their model calls, and nothing else')
  .action(async (options: { url: string; name?: string; computer?: string; telemetry?: boolean }) => {
    finish({ text: await login({ ...options, home, log: consoleLog, input: process.stdin }), exitCode: 0 });
  });

program
  .command('connect')
  .description('connect, and let an agent work on what is posted to sessions on this computer')
  .argument('[command...]', 'an agent that speaks ACP, behind "--"; without it a built-in agent that echoes')
  .addOption(urlOption)
  .addOption(keyOption)
  .addOption(telemetryKeyOption)
  .option('--name <name>', 'name of this computer, by default the host name')
  .addOption(
    new Option('--allow <who>', "whose turns run here: those of the user who registered this computer, or everybody's")
      .choices(['me', 'organization'])
      .default('me'),
  )
  .addOption(dirOption)
  .option('--slots <n>', 'sessions at a time', wholeNumber(1, 100), 4)
  .option('--idle-minutes <n>', 'an agent without work is ended after this time', wholeNumber(1, 1440), 30)
  .action(async (command: string[], options: ConnectFlags) => {
    const dir = resolve(options.dir);
    process.exit(await connect({ ...options, dir, command, home, env, version, log: consoleLog }));
  });

program
  .command('doctor')
  .description('check what connecting needs, and explain what is missing')
  .argument('[command...]', 'the agent, behind "--"')
  .addOption(new Option('--url <url>', 'address of the service').env('AGENT_PLATFORM_URL'))
  .addOption(new Option('--key <key>', 'API key').env('AGENT_PLATFORM_KEY'))
  .option('--name <name>', 'name of this computer')
  .addOption(dirOption)
  .action(async (command: string[], options: DoctorFlags) => {
    const { url, key, name } = options;
    finish(await examine({ url, key, name, dir: resolve(options.dir), command, home, env }));
  });

const hooks = program.command('hooks').description('commands that run when something happens in a session');
hooks
  .command('list')
  .description('show what would run in a session in this directory')
  .action(() => finish({ text: listHooks({ home, cwd: process.cwd(), root: process.cwd() }), exitCode: 0 }));
hooks
  .command('test')
  .description('run the hooks of an event with an invented payload')
  .argument('<event>', 'such as Stop')
  .option('--tool <name>', 'the tool, in events about tools', 'Edit')
  .action(async (event: string, { tool }: { tool: string }) => {
    finish(await testHook(event, { home, cwd: process.cwd(), root: process.cwd(), env, tool }));
  });

program
  .command('echo', { hidden: true })
  .description('the built-in agent, on standard input and output')
  .action(() => runEchoAgent());

await program.parseAsync().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
});

interface ConnectFlags {
  url?: string;
  key?: string;
  telemetryKey?: string;
  name?: string;
  allow: 'me' | 'organization';
  dir: string;
  slots: number;
  idleMinutes: number;
}

interface DoctorFlags {
  url?: string;
  key?: string;
  name?: string;
  dir: string;
}

function finish({ text, exitCode }: { text: string; exitCode: number }): void {
  process.stdout.write(`${text}\n`);
  process.exitCode = exitCode;
}

function wholeNumber(min: number, max: number): (value: string) => number {
  return (value) => {
    const number = Number(value);
    if (Number.isInteger(number) && number >= min && number <= max) return number;
    throw new InvalidArgumentError(`It has to be a whole number from ${min} to ${max}.`);
  };
}
