import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { AGENT_COMMANDS, connectCommand, quoted } from '../../../src/web/pages/computers/connect-command.js';

const connection = { url: 'http://127.0.0.1:3000', name: 'my-laptop', computerId: '<computer id>' };

describe('the command that connects a computer', () => {
  it('is that of the documentation', () => {
    const page = readFileSync('docs/agent.md', 'utf8');
    const [login = ''] = connectCommand({ ...connection, token: 'apc_...', agent: 'echo' }).split('\n');
    expect(page).toContain(login);
    const rows = [...page.matchAll(/^\| ([\w ]+?) +\| `(npx [^`]+)` +\|$/gm)].map(([, name, command]) => [
      name,
      command,
    ]);
    const offered = Object.values(AGENT_COMMANDS).filter(({ command }) => command !== '');
    expect(offered.map(({ name, command }) => [name, command])).toEqual(rows);
  });

  it('has no line for a token that was shown before', () => {
    expect(connectCommand({ ...connection, agent: 'codex' })).toBe(
      'npm run agent -- connect --name my-laptop -- npx -y @agentclientprotocol/codex-acp@2.6.0',
    );
  });

  it('runs nothing that is in the name of a computer', () => {
    for (const name of ["it's", '$(id)', '`id`', 'a b', '-x', '"; id #', "'; id; '", 'ü']) {
      expect(execFileSync('bash', ['-c', `printf %s ${quoted(name)}`], { encoding: 'utf8' })).toBe(name);
    }
  });
});
