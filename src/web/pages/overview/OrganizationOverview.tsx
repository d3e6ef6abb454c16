import { useSearch } from '@tanstack/react-router';
import { type SummaryAnswer, csvAddress, useSummary } from '../../api/analytics.js';
import { whole } from '../../format.js';
import { RangePicker } from '../../shell/RangePicker.js';
import { periodOf } from '../../shell/search.js';
import { Asked } from '../../ui/Asked.js';
import { CsvButton } from '../../ui/CsvButton.js';
import { Figure } from '../../ui/Figure.js';
import { BreakdownCard } from '../usage/BreakdownCard.js';
import { OVERVIEW_FIGURES } from './figures.js';
import { TodayStrip } from './TodayStrip.js';
import styles from './Overview.module.css';

export function OrganizationOverview() {
  const period = periodOf(useSearch({ strict: false }));
  const summary = useSummary(period);
  const address = csvAddress('summary', { startDate: period.from, endDate: period.to, compare: period.comparison });
  return (
    <div className={styles.page}>
      <TodayStrip />
      <RangePicker />
      <Asked query={summary}>{(answer) => <Figures answer={answer} />}</Asked>
      <Asked query={summary}>{(answer) => <Freshness answer={answer} address={address} />}</Asked>
      <BreakdownCard title="Billable tokens by model" period={period} dimension="model" metric="billable_tokens" />
      <BreakdownCard title="Billable tokens by team" period={period} dimension="team" metric="billable_tokens" />
    </div>
  );
}

function Figures({ answer: { data } }: { answer: SummaryAnswer }) {
  return (
    <div className={styles.figures}>
      {OVERVIEW_FIGURES.map(({ metric, name, definition, show }) => (
        <Figure
          key={metric}
          name={name}
          value={show(data.current[metric])}
          definition={definition}
          {...(data.change ? { change: data.change[metric] } : {})}
        />
      ))}
    </div>
  );
}

function Freshness({ answer: { meta }, address }: { answer: SummaryAnswer; address: string }) {
  return (
    <p className={styles.freshness}>
      Through {meta.end_date} (UTC){meta.data_as_of && `, computed ${meta.data_as_of}`}.
      {meta.unpriced_tokens > 0 &&
        ` ${whole(meta.unpriced_tokens)} tokens have no price: ${meta.unpriced_models.join(', ')}.`}{' '}
      <CsvButton address={address} name="summary" />
    </p>
  );
}
