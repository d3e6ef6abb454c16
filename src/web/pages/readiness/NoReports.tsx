export function NoReports() {
  return (
    <>
      <strong>No repository was evaluated yet</strong>
      <p>
        An agent evaluates a repository and sends its report to{' '}
        <code>POST /api/organization/maturity-level-reports</code>; <a href="/docs">the API reference</a> has the
        format.
      </p>
    </>
  );
}
