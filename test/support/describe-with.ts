/**
 * `describe` for tests that need a tool of the operating system. Without it they are skipped with a message; in CI they
 * fail.
 */
export function describeWith(tool: string, isInstalled: boolean): jest.Describe {
  if (isInstalled) return describe;
  const missing = `${tool} is not installed (apt-get install ${tool})`;
  if (process.env.CI) throw new Error(`${missing}, and CI leaves no tests out`);
  console.warn(`${missing}: the tests that need it are left out`);
  return describe.skip;
}
