import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import { type BreakdownAnswer, csvAddress, type Dimension, type Metric, useBreakdown } from '../../api/analytics.js';
import { aligned } from '../../charts/stacking.js';
import { TimeChart } from '../../charts/TimeChart.js';
import { change as shownChange, compact, percent } from '../../format.js';
import type { Period } from '../../shell/search.js';
import { Asked } from '../../ui/Asked.js';
import { Card } from '../../ui/Card.js';
import { CsvButton } from '../../ui/CsvButton.js';
import { type Column, DataTable } from '../../ui/DataTable.js';
import { shownValue } from './metrics.js';
import { numberOf } from './values.js';

/** What a reader can tell apart; the rest is `other`. */
const NAMED = 8;
const OTHER = ' other';

type Row = BreakdownAnswer['data'][number];

interface Props {
  readonly title: string;
  readonly period: Period;
  readonly dimension: Dimension;
  readonly metric: Metric;
  readonly hasChart?: boolean;
}

/** A metric by something: its days as a chart, its rows as a table, both of one answer. */
export function BreakdownCard({ title, period, dimension, metric, hasChart = true }: Props) {
  const query = useBreakdown(period, { dimension, metric, limit: NAMED });
  const address = csvAddress('breakdown', {
    startDate: period.from,
    endDate: period.to,
    compare: period.comparison,
    dimension,
    metric,
    limit: String(NAMED),
  });
  return (
    <Card title={title} actions={<CsvButton address={address} name={`${metric}-by-${dimension}`} />}>
      <Asked query={query} empty={({ data }) => (data.length === 0 ? <Nothing /> : null)}>
        {(answer) => (
          <>
            {hasChart && <BreakdownChart title={title} answer={answer} />}
            <Rows title={title} dimension={dimension} answer={answer} isCompared={period.comparison !== 'none'} />
          </>
        )}
      </Asked>
    </Card>
  );
}

function Nothing() {
  return (
    <>
      <strong>Nothing in this range</strong>
      <p>Choose a longer range, or connect an agent: figures of today come after midnight (UTC).</p>
    </>
  );
}

function BreakdownChart({ title, answer }: { title: string; answer: BreakdownAnswer }) {
  const { days, series } = useMemo(() => {
    const rows = [...answer.data, { ...answer.other, key: OTHER, label: 'Other' }].map(
      ({ key, label, series: own }) => ({
        key,
        label,
        series: (own ?? []).map(({ date, value }) => ({ date, value: numberOf(value) })),
      }),
    );
    const dates = rows[0]?.series.map(({ date }) => date) ?? [];
    return { days: dates, series: aligned(dates, rows) };
  }, [answer]);
  return <TimeChart title={title} days={days} series={series} format={compact} isStacked otherKey={OTHER} />;
}

interface RowsProps {
  readonly title: string;
  readonly dimension: Dimension;
  readonly answer: BreakdownAnswer;
  readonly isCompared: boolean;
}

function Rows({ title, dimension, answer, isCompared }: RowsProps) {
  const columns: Column<Row>[] = [
    {
      name: dimension === 'user' ? 'Person' : title,
      show: ({ key, label }) =>
        dimension === 'user' && key !== OTHER && key !== TOTAL ? (
          <Link to="/people/$userId" params={{ userId: key }} search={(now) => now}>
            {label}
          </Link>
        ) : (
          label
        ),
    },
    { name: 'Total', isNumber: true, show: ({ value }) => shownValue(value) },
    { name: 'Share', isNumber: true, show: ({ share }) => (share === null ? '–' : percent(share)) },
    ...(isCompared
      ? [
          { name: 'Before', isNumber: true, show: ({ previous_value }: Row) => shownValue(previous_value) },
          { name: 'Change', isNumber: true, show: ({ change }: Row) => shownChange(change) },
        ]
      : []),
  ];
  const rows = [
    ...answer.data,
    { ...answer.other, key: OTHER, label: 'Other' },
    { ...answer.total, key: TOTAL, label: 'Total' },
  ];
  return <DataTable caption={title} columns={columns} rows={rows} keyOf={({ key }) => key} />;
}

const TOTAL = ' total';
