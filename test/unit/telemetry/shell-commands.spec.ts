import { gitFacts } from '../../../src/modules/telemetry/adapters/shell-commands.js';

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
    expect(gitFacts(command).map(([type]) => type)).toEqual(types);
  });

  it.each(['"', "'", '\\"', '<<A\n', '$(', '"\\'])(
    'are looked for in a time that grows with the command: %j',
    (piece) => {
      const start = performance.now();
      gitFacts(piece.repeat(1_000_000 / piece.length));
      expect(performance.now() - start).toBeLessThan(1_000);
    },
  );
});
