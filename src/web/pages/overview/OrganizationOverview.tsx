import { Link, useSearch } from '@tanstack/react-router';
import { type SummaryAnswer, useSummary } from '../../api/analytics.js';
import { BreakdownCard } from '../../breakdown/BreakdownCard.js';
import { PriceNote } from '../../breakdown/PriceNote.js';
import { SummaryFigures } from '../../breakdown/SummaryFigures.js';
import { instant } from '../../format.js';
import { RangePicker } from '../../shell/RangePicker.js';
import { periodOf } from '../../shell/search.js';
import { Asked } from '../../ui/Asked.js';
import { Columns } from '../../ui/Columns.js';
import { TodayStrip } from './TodayStrip.js';
import styles from './Overview.module.css';

const FIGURES = ['active_people', 'sessions', 'billable_tokens', 'cost', 'tool_calls', 'git_prs_created'] as const;

export function OrganizationOverview() {
  const period = periodOf(useSearch({ strict: false }));
  const summary = useSummary(period);
  return (
    <>
      <TodayStrip />
      <RangePicker />
      <Asked query={summary} empty={(answer) => (isEmpty(answer) ? <FirstSteps /> : null)}>
        {(answer) => (
          <>
            <SummaryFigures answer={answer} metrics={FIGURES} />
            <PriceNote meta={answer.meta} />
            {answer.meta.data_as_of && (
              <p className={styles.freshness}>
                Computed {instant(answer.meta.data_as_of)}; a day counts once it is over.
              </p>
            )}
          </>
        )}
      </Asked>
      <BreakdownCard title="Billable tokens by model" period={period} dimension="model" metric="billable_tokens" />
      <Columns>
        <BreakdownCard title="Cost by team" period={period} dimension="team" metric="cost" hasChart={false} />
        <BreakdownCard title="Cost by person" period={period} dimension="user" metric="cost" hasChart={false} />
      </Columns>
    </>
  );
}

function isEmpty({ data: { current, previous } }: SummaryAnswer): boolean {
  return current.active_people === 0 && (previous?.active_people ?? 0) === 0;
}

function FirstSteps() {
  return (
    <>
      <strong>No closed day has figures in this range</strong>
      <p>
        Figures of a day come after midnight (UTC); what happens now is above, within seconds.{' '}
        <Link to="/connect">Connect an agent</Link>, or <Link to="/welcome">look around with invented data</Link>.
      </p>
    </>
  );
}
