import { useSearch } from '@tanstack/react-router';
import { type Dimension, useSummary } from '../../api/analytics.js';
import { BreakdownCard } from '../../breakdown/BreakdownCard.js';
import { DIMENSIONS } from '../../breakdown/metrics.js';
import { SummaryFigures } from '../../breakdown/SummaryFigures.js';
import { RangePicker } from '../../shell/RangePicker.js';
import { periodOf } from '../../shell/search.js';
import { Asked } from '../../ui/Asked.js';
import { Page } from '../../ui/Page.js';
import { Columns } from '../../ui/Columns.js';

const PRODUCTIVITY = ['tool_calls', 'files_created', 'files_edited', 'git_commits', 'git_prs_created'] as const;
const LISTS: readonly Dimension[] = ['server', 'skill', 'command', 'hook', 'language', 'extension'];

export function ToolsPage() {
  const period = periodOf(useSearch({ strict: false }));
  return (
    <Page title="Tools & productivity">
      <RangePicker />
      <Asked query={useSummary(period)}>{(answer) => <SummaryFigures answer={answer} metrics={PRODUCTIVITY} />}</Asked>
      <BreakdownCard title="Calls by tool" period={period} dimension="tool" metric="count" />
      <Columns>
        {LISTS.map((dimension) => (
          <BreakdownCard
            key={dimension}
            title={`${DIMENSIONS[dimension]}s`}
            period={period}
            dimension={dimension}
            metric="count"
            hasChart={false}
          />
        ))}
      </Columns>
    </Page>
  );
}
