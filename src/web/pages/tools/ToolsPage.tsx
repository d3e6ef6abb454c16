import { useSearch } from '@tanstack/react-router';
import type { Dimension } from '../../api/analytics.js';
import { RangePicker } from '../../shell/RangePicker.js';
import { periodOf } from '../../shell/search.js';
import { BreakdownCard } from '../usage/BreakdownCard.js';

const LISTS: readonly [Dimension, string][] = [
  ['tool', 'Tools'],
  ['server', 'MCP servers'],
  ['skill', 'Skills'],
  ['command', 'Commands'],
  ['hook', 'Hooks'],
  ['language', 'Languages of changed files'],
];

export function ToolsPage() {
  const period = periodOf(useSearch({ strict: false }));
  return (
    <>
      <h1>Tools &amp; productivity</h1>
      <RangePicker />
      {LISTS.map(([dimension, title], i) => (
        <BreakdownCard
          key={dimension}
          title={title}
          period={period}
          dimension={dimension}
          metric="count"
          hasChart={i === 0}
        />
      ))}
    </>
  );
}
