import { useParams, useSearch } from '@tanstack/react-router';
import { type PersonAnswer, usePerson } from '../../api/analytics.js';
import { METRICS } from '../../breakdown/metrics.js';
import { Nothing } from '../../breakdown/Nothing.js';
import { TimeChart } from '../../charts/TimeChart.js';
import { compact, dollars, whole } from '../../format.js';
import { RangePicker } from '../../shell/RangePicker.js';
import { periodOf } from '../../shell/search.js';
import { Asked } from '../../ui/Asked.js';
import { Card } from '../../ui/Card.js';
import { TableCsvButton } from '../../ui/CsvButton.js';
import type { CsvColumn } from '../../ui/column.js';
import { DataTable } from '../../ui/DataTable.js';
import { Figure, Figures } from '../../ui/Figure.js';
import { Page } from '../../ui/Page.js';

type Person = PersonAnswer['data'];

const FIGURES = ['sessions', 'messages', 'tool_calls', 'files_edited', 'git_commits', 'git_prs_created'] as const;
const MODELS: CsvColumn<Person['models'][number]>[] = [
  { name: 'Model', value: ({ model_id }) => model_id, show: ({ model_id }) => model_id },
  {
    name: 'Billable tokens',
    isNumber: true,
    value: (row) => row.billable_tokens,
    show: (row) => compact(row.billable_tokens),
  },
  { name: 'Cost (estimate)', isNumber: true, value: ({ cost }) => cost, show: ({ cost }) => dollars(cost) },
];
const TOOLS: CsvColumn<Person['tools'][number]>[] = [
  { name: 'Tool', value: ({ tool }) => tool, show: ({ tool }) => tool },
  { name: 'Calls', isNumber: true, value: ({ count }) => count, show: ({ count }) => whole(count) },
];

/** The same figures as of the organization, of one person. */
export function PersonPage() {
  const { userId = '' } = useParams({ strict: false });
  const query = usePerson(userId, periodOf(useSearch({ strict: false })));
  return (
    <Page title={query.data?.data.user_email ?? (query.data ? 'Erased person' : 'Person')}>
      <RangePicker isComparable={false} />
      <Asked query={query} empty={({ data }) => (data.totals.active_days === 0 ? <Nothing /> : null)}>
        {({ data }) => <Dashboard person={data} />}
      </Asked>
    </Page>
  );
}

function Dashboard({ person: { totals, days, models, tools } }: { person: Person }) {
  return (
    <>
      <Figures>
        <Figure {...METRICS.billable_tokens} value={compact(totals.billable_tokens)} />
        <Figure {...METRICS.cost} value={dollars(totals.cost)} />
        <Figure name="Active days" definition="Days with any event." value={whole(totals.active_days)} />
        {FIGURES.map((metric) => (
          <Figure key={metric} {...METRICS[metric]} value={compact(totals[metric])} />
        ))}
      </Figures>
      <Card title="Billable tokens by day">
        <TimeChart
          title="Billable tokens by day"
          days={days.map(({ date }) => date)}
          series={[{ key: 'tokens', label: 'Billable tokens', values: days.map((day) => day.billable_tokens) }]}
          format={compact}
        />
      </Card>
      <Card title="Models" actions={<TableCsvButton columns={MODELS} rows={models} name="models" />}>
        <DataTable caption="Models" rows={models} keyOf={({ model_id }) => model_id} columns={MODELS} />
      </Card>
      <Card title="Tools" actions={<TableCsvButton columns={TOOLS} rows={tools} name="tools" />}>
        <DataTable caption="Tools" rows={tools} keyOf={({ tool }) => tool} columns={TOOLS} />
      </Card>
    </>
  );
}
