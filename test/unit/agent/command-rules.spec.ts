import { commandOfArguments, deniedBy, isAllowed } from '../../../src/agent/session/command-rules.js';
import { readShellLine } from '../../../src/protocol/shell/shell-line.js';

const ALLOWLIST = ['git status', 'npm test', 'ls', 'echo', 'git log *', 'A=1 make', 'A[0]=1 ls', 'A+=1 ls', ''];

describe('the allowlist', () => {
  it.each([
    'git status',
    '  git   status  ',
    'git status --short',
    'git log --oneline -n 5',
    '"git" status',
    "'git' 'status' -s",
    'g\\it status',
    'git \\\n status',
    'git status; ls -la',
    'git status && npm test',
    'ls || echo "nothing; here & there | now"',
    "echo 'a $(rm -rf /) `x` > y'",
    'ls | echo',
    'ls &',
    'ls\nnpm test -- --watch=false',
    'ls;',
    'echo $HOME "$USER" 100$',
    'echo a#b',
    'echo ""',
  ])('allows %j', (command) => {
    expect(isAllowed(command, ALLOWLIST)).toBe(true);
  });

  it.each([
    ['another command', 'git push'],
    ['a longer word', 'git statusx'],
    ['the entry further on', 'sudo git status'],
    ['only the beginning of an entry', 'git'],
    ['another case', 'GIT status'],
    ['a path to it', '/usr/bin/git status'],
    ['one part that is not listed', 'git status; rm -rf x'],
    ['one after &&', 'git status && rm x'],
    ['one after ||', 'git status || rm x'],
    ['one after a pipe', 'ls | sh'],
    ['one after a pipe with errors', 'ls |& sh'],
    ['one in the background', 'ls & rm x'],
    ['one on the next line', 'ls\nrm x'],
    ['one after a comment with a quote', "ls # it's\nrm x # '"],
    ['a comment', 'ls # all'],
    ['command substitution', 'echo $(rm x)'],
    ['command substitution in double quotes', 'echo "$(rm x)"'],
    ['backticks', 'echo `rm x`'],
    ['backticks in double quotes', 'echo "`rm x`"'],
    ['process substitution in', 'ls <(rm x)'],
    ['process substitution out', 'ls >(rm x)'],
    ['redirection out', 'echo x > ~/.bashrc'],
    ['appending', 'echo x >> file'],
    ['redirection in', 'ls < file'],
    ['redirection of errors', 'ls 2>&1'],
    ['redirection of all', 'ls &> file'],
    ['a here document', 'ls <<EOF\nx\nEOF'],
    ['an assignment', 'PATH=/tmp ls'],
    ['an assignment, even when an entry has it', 'A=1 make'],
    ['an array assignment', 'A[0]=1 ls'],
    ['an added assignment', 'A+=1 ls'],
    ['an assignment later', 'ls; A=1'],
    ['unbalanced single quotes', "ls 'x"],
    ['unbalanced double quotes', 'ls "x'],
    ['a last backslash', 'ls \\'],
    ['a subshell', '(ls)'],
    ['a parenthesis', 'echo \\$(ls'],
    ['a group', '{ ls; }'],
    ['a function', 'ls() { rm x; }; ls'],
    ['parameter expansion', 'echo ${x@P}'],
    ['ANSI quotes', "echo $'\\x41'"],
    ['translated quotes', 'echo $"x"'],
    ['arithmetic', 'echo $((1))'],
    ['old arithmetic', 'echo $[1]'],
    ['a control character', 'ls \u0007'],
    ['a carriage return', 'ls\rrm x'],
    ['another kind of space', 'ls\u00a0-la'],
    ['a keyword', 'if ls; then ls; fi'],
    ['nothing', ''],
    ['only operators', ';'],
  ])('does not allow %s', (_, command) => {
    expect(isAllowed(command, ALLOWLIST)).toBe(false);
  });

  it('that is empty, or has only empty entries, allows nothing', () => {
    expect(isAllowed('ls', [])).toBe(false);
    expect(isAllowed('ls', ['', '  '])).toBe(false);
  });

  it('with a star allows everything', () => {
    expect(isAllowed('sudo rm -rf / > x', ['*'])).toBe(true);
  });
});

describe('the denylist', () => {
  it.each([
    ['rm', 'rm -rf x'],
    ['rm', '"rm" -rf x'],
    ['rm', "r'm' -rf x"],
    ['rm', '\\rm -rf x'],
    ['rm', 'r\\m x'],
    ['rm', 'r\\\nm x'],
    ['rm', '/bin/rm x'],
    ['rm', 'RM x'],
    ['rm', 'ls; rm x'],
    ['rm', 'ls;rm x'],
    ['rm', 'ls&&rm x'],
    ['rm', 'ls|rm'],
    ['rm', 'ls\nrm x'],
    ['rm', 'sudo rm x'],
    ['rm', 'sudo -u root rm x'],
    ['rm', 'env A=b rm x'],
    ['rm', 'A=b rm x'],
    ['rm', 'nohup rm x &'],
    ['rm', 'time rm x'],
    ['rm', 'find . | xargs -n 1 rm'],
    ['rm', 'find . -exec rm {} +'],
    ['rm', 'echo $(rm x)'],
    ['rm', 'echo "$(rm x)"'],
    ['rm', 'echo `rm x`'],
    ['rm', 'cat <(rm x)'],
    ['rm', "bash -c 'rm x'"],
    ['rm', 'bash -c"rm x"'],
    ['rm', 'sh -c \'sh -c "rm x"\''],
    ['rm', '(rm x)'],
    ['rm', '{ rm x; }'],
    ['rm', 'x=rm; $x y'],
    ['rm', 'git commit -m "do not rm"'],
    ['git push', 'git push origin main'],
    ['git push', 'git   push'],
    ['git push', 'git \\\n push'],
    ['git push', 'git -C /repo push'],
    ['git push', 'git -c user.name=x push'],
    ['git push', 'git --no-pager push'],
    ['git push', 'git --git-dir=x push'],
    ['git push', "git 'push'"],
    ['git push *', 'git push'],
    ['"git" push', 'git push'],
    ['*', 'ls'],
    ['rm -rf', 'rm -rf x'],
    ['DROP TABLE', 'psql -c "drop table x"'],
  ])('with %j denies %j', (entry, command) => {
    expect(deniedBy(command, ['never', entry])).toBe(entry);
  });

  it.each([
    ['rm', 'npm run lint'],
    ['rm', 'ls rm.ts'],
    ['rm', 'ls rm-old'],
    ['rm', 'farm x'],
    ['rm', 'docker run --rm x'],
    ['git push', 'git status'],
    ['git push', 'git log push'],
    ['git push', 'git commit -m push'],
    ['git push', 'git pushx'],
    ['rm -rf', 'rm x'],
    ['', 'ls'],
    ['   ', 'ls'],
  ])('with %j does not deny %j', (entry, command) => {
    expect(deniedBy(command, [entry])).toBeNull();
  });
});

describe('a program and its arguments', () => {
  it.each<[string[], string]>([
    [['git', 'status'], 'git status'],
    [['git', 'commit', '-m', "it's; rm x"], "git commit -m 'it'\\''s; rm x'"],
    [['bash', '-lc', 'a && b'], 'a && b'],
    [['/bin/sh', '-c', 'a'], 'a'],
    [['/usr/bin/zsh', '-ic', 'a'], 'a'],
    [['bash', '-c', 'a "$0"', 'x'], `bash -c 'a "$0"' x`],
    [['bash', 'script.sh'], 'bash script.sh'],
    [['fish', '-c', 'a b'], "fish -c 'a b'"],
  ])('%j are the command %j', (args, command) => {
    expect(commandOfArguments(args)).toBe(command);
  });

  it('keep their words apart', () => {
    const args = ['echo', 'a b', '', "'", '$(x)', '`y`', ';'];
    expect(readShellLine(commandOfArguments(args)).commands).toEqual([args]);
    expect(isAllowed(commandOfArguments(args), ['echo'])).toBe(true);
  });
});
