import { useNavigate, useSearch } from '@tanstack/react-router';
import { useDeferredValue, useState } from 'react';
import { type Metric, useBreakdownPages } from '../../api/analytics.js';
import { columnsOf, isSum, rowsOf } from '../../breakdown/columns.js';
import { METRICS, named } from '../../breakdown/metrics.js';
import { Nothing } from '../../breakdown/Nothing.js';
import { RangePicker } from '../../shell/RangePicker.js';
import { type Period, periodOf } from '../../shell/search.js';
import { Asked } from '../../ui/Asked.js';
import { Button } from '../../ui/Button.js';
import { Card } from '../../ui/Card.js';
import { TableCsvButton } from '../../ui/CsvButton.js';
import { DataTable } from '../../ui/DataTable.js';
import { TextField } from '../../ui/Field.js';
import { Choice } from '../../ui/Choice.js';
import { Page } from '../../ui/Page.js';

const SORTS = [
  ...(['billable_tokens', 'cost', 'sessions', 'messages', 'tool_calls'] as const),
  ...(['files_edited', 'git_commits', 'git_prs_created'] as const),
] satisfies Metric[];
const PAGE_ROWS = 50;

/** Everybody, sorted and searched by the service: ten thousand people are as quick as ten. */
export function PeoplePage() {
  const search = useSearch({ strict: false });
  const metric = SORTS.find((key) => key === search.metric) ?? 'billable_tokens';
  const asked = typeof search.q === 'string' ? search.q : '';
  const [text, setText] = useState(asked);
  const navigate = useNavigate();
  const choose = (next: object) => void navigate({ to: '.', search: (now) => ({ ...now, ...next }), replace: true });
  return (
    <Page title="People">
      <RangePicker />
      <Choice
        name="Sorted by"
        value={metric}
        options={named(SORTS, METRICS)}
        onChoose={(key) => choose({ metric: key })}
      />
      <TextField
        label="Search"
        type="search"
        placeholder="Part of an address"
        value={text}
        onChange={({ target }) => {
          setText(target.value);
          choose({ q: target.value || undefined });
        }}
      />
      <People period={periodOf(search)} metric={metric} text={useDeferredValue(text)} />
    </Page>
  );
}

function People({ period, metric, text }: { period: Period; metric: (typeof SORTS)[number]; text: string }) {
  const question = { dimension: 'user' as const, metric, limit: PAGE_ROWS, ...(text ? { search: text } : {}) };
  const query = useBreakdownPages(period, question);
  const columns = columnsOf('user', period.comparison !== 'none');
  const title = `${METRICS[metric].name} by person`;
  const empty = text ? <strong>Nobody’s address has “{text}” in it</strong> : <Nothing />;
  return (
    <Asked query={query} empty={({ pages }) => (pages[0]?.data.length === 0 ? empty : null)}>
      {({ pages }) => {
        const [first] = pages;
        const last = pages.at(-1);
        if (!first || !last) return null;
        const named = pages.flatMap(({ data }) => data);
        const rows = rowsOf({ ...first, other: last.other, data: named, meta: last.meta });
        return (
          <Card title={title} actions={<TableCsvButton columns={columns} rows={rows} name={title} />}>
            <DataTable caption={title} columns={columns} rows={rows} keyOf={({ key }) => key} isTotal={isSum} />
            {query.hasNextPage && (
              <Button disabled={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
                More people
              </Button>
            )}
          </Card>
        );
      }}
    </Asked>
  );
}
