import type { Metric, SummaryAnswer } from '../api/analytics.js';
import { Figure, Figures } from '../ui/Figure.js';
import { shownValue } from '../format.js';
import { METRICS } from './metrics.js';

type SummaryMetric = Exclude<Metric, 'count'>;

interface Props {
  readonly answer: SummaryAnswer;
  readonly metrics: readonly SummaryMetric[];
}

/** Totals of the range, each with its meaning and its change. */
export function SummaryFigures({ answer: { data }, metrics }: Props) {
  const { current, previous, change } = data;
  return (
    <Figures>
      {metrics.map((metric) => (
        <Figure
          key={metric}
          {...METRICS[metric]}
          value={shownValue(current[metric])}
          {...(previous && change ? { change: change[metric], before: shownValue(previous[metric]) } : {})}
        />
      ))}
    </Figures>
  );
}
