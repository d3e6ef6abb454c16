import { pathsOfInput } from '../../../src/agent/session/tool-paths.js';

describe('the paths in the input of a tool', () => {
  it.each<[string, unknown, string[]]>([
    ['Read', { file_path: '/etc/passwd', limit: 10 }, ['/etc/passwd']],
    ['write', { filePath: 'a.txt', content: '/not/a/path' }, ['a.txt']],
    ['NotebookEdit', { notebook_path: 'a.ipynb', new_source: 'x' }, ['a.ipynb', 'x']],
    ['Move', { from: 'a', to: '../b' }, ['a', '../b']],
    ['MultiRead', { paths: ['a', 'b'] }, ['a', 'b']],
    ['Patch', { changes: { '/etc/hosts': { type: 'update' } } }, ['/etc/hosts']],
    ['Nested', { edits: [{ target: { absolutePath: '/x' } }] }, ['/x']],
    ['Grep', { pattern: '/api/v0', path: 'src' }, ['src']],
    ['Grep', { pattern: 'x', glob: '../**' }, ['../**']],
    ['Glob', { pattern: '/etc/**' }, ['/etc/**']],
    ['Fetch', { url: 'https://example.com/a' }, []],
    ['Fetch', { url: 'file:///etc/passwd' }, ['file:///etc/passwd']],
    ['Bash', { command: 'ls', cwd: '/tmp' }, ['/tmp']],
    ['Task', { prompt: 'Read /etc/passwd' }, []],
    ['Odd', null, []],
    ['Odd', 'text', []],
  ])('of %s with %j are %j', (tool, input, paths) => {
    expect(pathsOfInput(tool, input).sort()).toEqual(paths.sort());
  });

  it('are everything when the input is too large to look through', () => {
    expect(pathsOfInput('Read', { paths: Array.from({ length: 20_000 }, () => 'a') })).toEqual(['/']);
    expect(pathsOfInput('Read', { lists: Array.from({ length: 20_000 }, () => ({ path: 'a' })) })).toEqual(['/']);
  });
});
