import { useQuery } from '@tanstack/react-query';
import { useParams, useSearch } from '@tanstack/react-router';
import { api, bodyOf } from '../../api/client.js';
import { TimeChart } from '../../charts/TimeChart.js';
import { compact, dollars, whole } from '../../format.js';
import { RangePicker } from '../../shell/RangePicker.js';
import { periodOf } from '../../shell/search.js';
import { Asked } from '../../ui/Asked.js';
import { Card } from '../../ui/Card.js';
import { DataTable } from '../../ui/DataTable.js';
import { Figure } from '../../ui/Figure.js';
import styles from '../overview/Overview.module.css';

/** The same figures as of the organization, of one person. */
export function PersonPage() {
  const { userId } = useParams({ strict: false });
  const { from, to } = periodOf(useSearch({ strict: false }));
  const query = useQuery({
    queryKey: ['person', userId, from, to],
    queryFn: ({ signal }) =>
      bodyOf(
        api.GET('/api/v1/analytics/people/{userId}', {
          params: { path: { userId: userId ?? '' }, query: { startDate: from, endDate: to } },
          signal,
        }),
      ),
  });
  return (
    <div className={styles.page}>
      <Asked query={query}>
        {({ data: { user_email, totals, days, models, tools } }) => (
          <div className={styles.page}>
            <h1>{user_email ?? 'Erased person'}</h1>
            <RangePicker />
            <div className={styles.figures}>
              <Figure
                name="Billable tokens"
                value={compact(totals.billable_tokens)}
                definition="Weighted as credits are."
              />
              <Figure name="Cost (estimate)" value={dollars(totals.cost)} definition="Tokens at dated list prices." />
              <Figure name="Sessions" value={whole(totals.sessions)} definition="Sessions that began." />
              <Figure name="Active days" value={whole(totals.active_days)} definition="Days with any event." />
            </div>
            <Card title="Billable tokens by day">
              <TimeChart
                title="Billable tokens by day"
                days={days.map(({ date }) => date)}
                series={[{ key: 'tokens', label: 'Billable tokens', values: days.map((day) => day.billable_tokens) }]}
                format={compact}
              />
            </Card>
            <Card title="Models">
              <DataTable
                caption="Models"
                rows={models}
                keyOf={({ model_id }) => model_id}
                columns={[
                  { name: 'Model', show: ({ model_id }) => model_id },
                  { name: 'Billable tokens', isNumber: true, show: (row) => compact(row.billable_tokens) },
                  { name: 'Cost (estimate)', isNumber: true, show: ({ cost }) => dollars(cost) },
                ]}
              />
            </Card>
            <Card title="Tools">
              <DataTable
                caption="Tools"
                rows={tools}
                keyOf={({ tool }) => tool}
                columns={[
                  { name: 'Tool', show: ({ tool }) => tool },
                  { name: 'Calls', isNumber: true, show: ({ count }) => whole(count) },
                ]}
              />
            </Card>
          </div>
        )}
      </Asked>
    </div>
  );
}
