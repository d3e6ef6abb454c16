export function ComputersPage() {
  return <h1>Computers</h1>;
}
