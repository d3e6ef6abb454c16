import { RangePicker } from '../../shell/RangePicker.js';

export function OverviewPage() {
  return (
    <>
      <h1>Overview</h1>
      <RangePicker />
    </>
  );
}
