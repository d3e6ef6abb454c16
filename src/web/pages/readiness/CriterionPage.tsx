export function CriterionPage() {
  return <h1>Criterion</h1>;
}
