import { madeByCommand } from '../../../src/protocol/shell/git-commands.js';
import { cpuMs } from '../../support/cpu-time.js';

describe('commits and pull requests in a command', () => {
  it.each<[unknown, string[]]>([
    ['git commit -m x', ['git_commit']],
    ['git add -A && git -c user.name=a -c user.email=a@example.com commit -qm t && echo ok', ['git_commit']],
    ['cd /repo; /usr/bin/git -C sub --no-pager commit', ['git_commit']],
    ['GIT_AUTHOR_NAME=a git commit\ngit commit --amend', ['git_commit', 'git_commit']],
    ['if true; then git commit -m x; fi', ['git_commit']],
    ['git commit -m "one; git commit -m two"', ['git_commit']],
    [
      "git commit -F - <<'EOF' && git push\nsubject\n\ngit commit is what I did\nEOF\ngh pr create",
      ['git_commit', 'pull_request_created'],
    ],
    ['git commit -m "$(cat <<\'EOF\'\nsubject\n\ngit commit\nEOF\n)"', ['git_commit']],
    ['cat <<<"text" && git commit -m x', ['git_commit']],
    ['gh pr create --title t --body b', ['pull_request_created']],
    ['gh -R o/r pr create --fill', ['pull_request_created']],
    ['gh pr new; glab mr create', ['pull_request_created', 'pull_request_created']],
    ['gh pr create --web', []],
    ['X=1 sudo -E git commit -m "a; b"', ['git_commit']],
    ["env -i /bin/sh -c 'nohup git commit'; git commit", ['git_commit', 'git_commit']],
    ['bash -c \'sh -c "git commit"\'', ['git_commit']],
    ['(git commit; git commit) > log 2>&1', ['git_commit', 'git_commit']],
    ['sudo -E', []],
    [['bash', '-lc', 'git add . && git commit -m x'], ['git_commit']],
    [['git', 'commit', '-m', 'x; gh pr create'], ['git_commit']],
    ['bash -lc "git commit -m x"', ['git_commit']],
    ['git log --grep commit', []],
    ['echo git commit', []],
    ['echo "git commit"; git status # git commit', []],
    ['git commit --dry-run', []],
    ['git commit-graph write', []],
    ['gh pr view; gh pr create --dry-run; gh issue create', []],
    ['', []],
    [undefined, []],
    [[1, null], []],
    [{ a: 1 }, []],
  ])('%j', (command, types) => {
    expect(madeByCommand(command)).toEqual(types);
  });

  it.each(['"', "'", '\\"', '<<A\n', '$(', '"\\'])(
    'are looked for in a time that grows with the command: %j',
    (piece) => {
      expect(cpuMs(() => madeByCommand(piece.repeat(1_000_000 / piece.length)))).toBeLessThan(1_000);
    },
  );
});
