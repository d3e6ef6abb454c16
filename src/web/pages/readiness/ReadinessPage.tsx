export function ReadinessPage() {
  return <h1>Readiness</h1>;
}
