import { useSearch } from '@tanstack/react-router';
import { type MyUsageAnswer, useMyUsage } from '../../api/analytics.js';
import { TimeChart } from '../../charts/TimeChart.js';
import { compact, dollars, whole } from '../../format.js';
import { RangePicker } from '../../shell/RangePicker.js';
import { periodOf, utcToday } from '../../shell/search.js';
import { Asked } from '../../ui/Asked.js';
import { Card } from '../../ui/Card.js';
import { DataTable } from '../../ui/DataTable.js';
import { Figure } from '../../ui/Figure.js';
import styles from './Overview.module.css';

/** One's own usage, today included. */
export function MyOverview() {
  const period = periodOf(useSearch({ strict: false }));
  const usage = useMyUsage(period, utcToday());
  return (
    <div className={styles.page}>
      <RangePicker />
      <Asked query={usage}>{(answer) => <Mine answer={answer} />}</Asked>
    </div>
  );
}

function Mine({ answer: { totals, days, models } }: { answer: MyUsageAnswer }) {
  const series = [{ key: 'mine', label: 'Billable tokens', values: days.map(({ billableTokens }) => billableTokens) }];
  return (
    <>
      <div className={styles.figures}>
        <Figure name="Billable tokens" value={compact(totals.billableTokens)} definition="Weighted as credits are." />
        <Figure name="Cost (estimate)" value={dollars(totals.cost)} definition="Tokens at dated list prices." />
        <Figure name="Sessions" value={whole(totals.sessions)} definition="Sessions that began." />
        <Figure name="Active days" value={whole(totals.activeDays)} definition="Days with any event." />
      </div>
      <Card title="Billable tokens by day">
        <TimeChart
          title="Billable tokens by day; the last day is not over"
          days={days.map(({ date }) => date)}
          series={series}
          format={compact}
        />
      </Card>
      <Card title="Models">
        <DataTable
          caption="Models"
          rows={models}
          keyOf={({ modelId }) => modelId}
          columns={[
            { name: 'Model', show: ({ modelId }) => modelId },
            { name: 'Billable tokens', isNumber: true, show: ({ billableTokens }) => compact(billableTokens) },
            { name: 'Cost (estimate)', isNumber: true, show: ({ cost }) => dollars(cost) },
          ]}
        />
      </Card>
    </>
  );
}
