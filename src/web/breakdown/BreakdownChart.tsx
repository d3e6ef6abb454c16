import { useMemo } from 'react';
import { type BreakdownAnswer, type Question, useBreakdownBefore } from '../api/analytics.js';
import { aligned } from '../charts/stacking.js';
import { TimeChart } from '../charts/TimeChart.js';
import { compact, roundDollars } from '../format.js';
import type { Period } from '../shell/search.js';
import { namedRowsOf, OTHER } from './columns.js';

interface Props {
  readonly title: string;
  readonly period: Period;
  readonly question: Question;
  readonly answer: BreakdownAnswer;
}

export function BreakdownChart({ title, period, question, answer }: Props) {
  const before = useBreakdownBefore(period, question).data;
  const { days, series } = useMemo(() => {
    const rows = namedRowsOf(answer).map(({ key, label, series: own }) => ({
      key,
      label,
      series: (own ?? []).map(({ date, value }) => ({ date, value: numberOf(value) })),
    }));
    const dates = rows[0]?.series.map(({ date }) => date) ?? [];
    return { days: dates, series: aligned(dates, rows) };
  }, [answer]);
  const isCompared = period.comparison !== 'none';
  const then = useMemo(
    () => (isCompared ? before?.total.series?.map(({ value }) => numberOf(value)) : undefined),
    [before, isCompared],
  );
  // People are counted once in each row they appear in: their rows do not add up.
  const isStacked = question.metric !== 'active_people';
  return (
    <TimeChart
      {...{ title, days, series, isStacked }}
      before={then}
      format={question.metric === 'cost' ? roundDollars : compact}
      otherKey={OTHER}
    />
  );
}

/** Cost is decimal text, everything else a number; what is unknown is not drawn. */
function numberOf(value: number | string | null): number | null {
  return value === null ? null : Number(value);
}
