import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { blockOf } from '../../../src/web/pages/connect/block.js';
import { type Agent, AGENTS, setupOf } from '../../../src/web/pages/connect/setups.js';

const KEY = 'apk_key';
const target = { url: 'http://127.0.0.1:3000', key: KEY };

/** The blocks below the heading of an agent in docs/telemetry.md, with the key in its place. */
function documented(agent: Agent): { language: string; text: string }[] {
  const page = readFileSync('docs/telemetry.md', 'utf8');
  const section = page.split(`\n### ${AGENTS[agent]}\n`)[1]?.split('\n### ')[0] ?? '';
  const blocks = [...section.matchAll(/```(\w+)\n([\s\S]*?)```/g)];
  return blocks.map(([, language = '', text = '']) => ({
    language,
    text: text.replaceAll('$KEY', KEY).replaceAll('apk_...', KEY).trim(),
  }));
}

const documentedVariables = (agent: Agent) =>
  Object.fromEntries(
    documented(agent)
      .filter(({ language }) => language === 'sh')
      .flatMap(({ text }) => [...text.matchAll(/\b([A-Z_]+)=("[^"]*"|\S+)/g)])
      .map(([, name = '', value = '']) => [name, value.replaceAll('"', '')])
      .filter(([name]) => name !== 'Authorization'),
  );

describe('the settings that the console shows', () => {
  it.each(Object.keys(AGENTS) as Agent[])('of %s are those of the documentation', (agent) => {
    const { env, json, lines } = setupOf(agent, target);
    expect(Object.fromEntries(env)).toEqual(documentedVariables(agent));
    const toml = documented(agent).find(({ language }) => language === 'toml');
    expect(lines?.text).toBe(toml?.text);
    const file = documented(agent).find(({ language }) => language === 'json');
    if (file) expect(json?.values).toEqual(JSON.parse(file.text));
  });

  it('of opencode switch on what the documentation names', () => {
    expect(readFileSync('docs/telemetry.md', 'utf8')).toContain('"experimental": { "openTelemetry": true }');
    expect(setupOf('opencode', target).json?.values).toEqual({ experimental: { openTelemetry: true } });
  });
});

describe('the block, pasted into a shell', () => {
  let home: string;
  beforeEach(() => (home = mkdtempSync(join(tmpdir(), 'home-'))));
  afterEach(() => rmSync(home, { recursive: true }));

  const paste = (agent: Agent) => {
    const script = `${blockOf(setupOf(agent, target), 'sh')}\nenv`;
    const env = { HOME: home, PATH: process.env.PATH ?? '' };
    const output = execFileSync('bash', ['-s'], { input: script, env, encoding: 'utf8' });
    return Object.fromEntries(
      output.split('\n').map((line) => [line.split('=')[0], line.slice(line.indexOf('=') + 1)]),
    );
  };
  const read = (file: string) => readFileSync(join(home, file), 'utf8');

  it.each(Object.keys(AGENTS) as Agent[])('sets the variables of %s', (agent) => {
    expect(paste(agent)).toMatchObject(Object.fromEntries(setupOf(agent, target).env));
  });

  it('adds to the settings of Gemini CLI and keeps what is there, however often it is pasted', () => {
    mkdirSync(join(home, '.gemini'));
    writeFileSync(join(home, '.gemini/settings.json'), '{"theme":"dark","telemetry":{"logPrompts":false}}');
    paste('gemini-cli');
    paste('gemini-cli');
    const { telemetry } = setupOf('gemini-cli', target).json?.values as { telemetry: object };
    expect(JSON.parse(read('.gemini/settings.json'))).toEqual({
      theme: 'dark',
      telemetry: { logPrompts: false, ...telemetry },
    });
  });

  it('writes the settings of Codex and opencode where there are none', () => {
    paste('codex');
    expect(read('.codex/config.toml').trim()).toBe(setupOf('codex', target).lines?.text);
    paste('opencode');
    expect(JSON.parse(read('.config/opencode/opencode.json'))).toEqual({ experimental: { openTelemetry: true } });
  });
});

describe('the block for PowerShell', () => {
  it('sets the same variables and files', () => {
    for (const agent of Object.keys(AGENTS) as Agent[]) {
      const setup = setupOf(agent, target);
      const block = blockOf(setup, 'powershell');
      for (const [name, value] of setup.env) expect(block).toContain(`$env:${name} = "${value}"`);
      if (setup.lines) expect(block).toContain(`@'\n\n${setup.lines.text}\n'@`);
      if (setup.json) expect(block).toMatch(/^@'\n[\s\S]+\n'@ \| node -$/m);
    }
  });
});
