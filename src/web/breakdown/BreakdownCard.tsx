import { type BreakdownAnswer, type Dimension, type Metric, type Question, useBreakdown } from '../api/analytics.js';
import type { Period } from '../shell/search.js';
import { Asked } from '../ui/Asked.js';
import { Card } from '../ui/Card.js';
import { TableCsvButton } from '../ui/CsvButton.js';
import { DataTable } from '../ui/DataTable.js';
import { BreakdownChart } from './BreakdownChart.js';
import { columnsOf, isSum, rowsOf } from './columns.js';
import { Nothing } from './Nothing.js';
import { PriceNote } from './PriceNote.js';

/** What a reader can tell apart; the rest is `other`. */
const NAMED = 8;

interface Props {
  readonly title: string;
  readonly period: Period;
  readonly dimension: Dimension;
  readonly metric: Metric;
  readonly filters?: Partial<Question>;
  readonly hasChart?: boolean;
}

/** A metric by something: its days as a chart, its rows as a table, both of one answer. */
export function BreakdownCard({ title, period, dimension, metric, filters, hasChart = true }: Props) {
  const question = { ...filters, dimension, metric, limit: NAMED };
  const query = useBreakdown(period, question);
  const columns = columnsOf(dimension, period.comparison !== 'none');
  const csv = (answer: BreakdownAnswer) => (
    <TableCsvButton columns={columns} rows={rowsOf(answer)} name={`${metric}-by-${dimension}`} />
  );
  return (
    <Card title={title} actions={query.data && csv(query.data)}>
      <Asked query={query} empty={({ data }) => (data.length === 0 ? <Nothing /> : null)}>
        {(answer) => (
          <>
            {hasChart && <BreakdownChart {...{ title, period, question, answer }} />}
            <DataTable
              caption={title}
              columns={columns}
              rows={rowsOf(answer)}
              keyOf={({ key }) => key}
              isTotal={isSum}
            />
            {metric === 'cost' && <PriceNote meta={answer.meta} />}
          </>
        )}
      </Asked>
    </Card>
  );
}
