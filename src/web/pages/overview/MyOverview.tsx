import { Link, useSearch } from '@tanstack/react-router';
import { type MyUsageAnswer, useMyUsage } from '../../api/analytics.js';
import type { Me } from '../../api/me.js';
import { METRICS } from '../../breakdown/metrics.js';
import { TimeChart } from '../../charts/TimeChart.js';
import { compact, dollars, instant, percent, whole } from '../../format.js';
import { RangePicker } from '../../shell/RangePicker.js';
import { periodOf, utcToday } from '../../shell/search.js';
import { Asked } from '../../ui/Asked.js';
import { Card } from '../../ui/Card.js';
import { TableCsvButton } from '../../ui/CsvButton.js';
import type { CsvColumn } from '../../ui/column.js';
import { DataTable } from '../../ui/DataTable.js';
import { Figure, Figures } from '../../ui/Figure.js';
import styles from './Overview.module.css';

const MODELS: CsvColumn<MyUsageAnswer['models'][number]>[] = [
  { name: 'Model', value: ({ modelId }) => modelId, show: ({ modelId }) => modelId },
  {
    name: 'Billable tokens',
    isNumber: true,
    value: (row) => row.billableTokens,
    show: (row) => compact(row.billableTokens),
  },
  { name: 'Cost (estimate)', isNumber: true, value: ({ cost }) => cost, show: ({ cost }) => dollars(cost) },
];

/** One's own usage, today included. */
export function MyOverview({ me }: { me: Me }) {
  const period = periodOf(useSearch({ strict: false }));
  const usage = useMyUsage(period, utcToday());
  return (
    <>
      <Limit usage={me.usage} />
      <RangePicker isComparable={false} />
      <Asked query={usage} empty={({ totals }) => (totals.activeDays === 0 ? <Nothing /> : null)}>
        {(answer) => <Mine answer={answer} />}
      </Asked>
    </>
  );
}

function Nothing() {
  return (
    <>
      <strong>Nothing of yours in this range</strong>
      <p>
        <Link to="/connect">Connect your agent</Link>: what it does shows here within seconds.
      </p>
    </>
  );
}

function Limit({ usage: { limit, used, resetsAt } }: { usage: Me['usage'] }) {
  return (
    <p className={styles.freshness}>
      This month you have used {compact(used)} billable tokens
      {limit === null ? '; there is no limit.' : ` of ${compact(limit)} (${percent(limit ? used / limit : 1)}).`} The
      count starts again {instant(resetsAt)}.
    </p>
  );
}

function Mine({ answer: { totals, days, models } }: { answer: MyUsageAnswer }) {
  const series = [{ key: 'mine', label: 'Billable tokens', values: days.map(({ billableTokens }) => billableTokens) }];
  return (
    <>
      <Figures>
        <Figure {...METRICS.billable_tokens} value={compact(totals.billableTokens)} />
        <Figure {...METRICS.cost} value={dollars(totals.cost)} />
        <Figure {...METRICS.sessions} value={whole(totals.sessions)} />
        <Figure name="Active days" value={whole(totals.activeDays)} definition="Days with any event." />
      </Figures>
      <Card title="Billable tokens by day">
        <TimeChart
          title="Billable tokens by day; the last day is not over"
          days={days.map(({ date }) => date)}
          series={series}
          format={compact}
        />
      </Card>
      <Card title="Models" actions={<TableCsvButton columns={MODELS} rows={models} name="my-models" />}>
        <DataTable caption="Models" rows={models} keyOf={({ modelId }) => modelId} columns={MODELS} />
      </Card>
    </>
  );
}
