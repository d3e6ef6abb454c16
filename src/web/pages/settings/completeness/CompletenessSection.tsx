import { Link, useSearch } from '@tanstack/react-router';
import { completenessCsvAddress, useCompleteness, useSources } from '../../../api/completeness.js';
import { RangePicker } from '../../../shell/RangePicker.js';
import { periodOf } from '../../../shell/search.js';
import { Asked } from '../../../ui/Asked.js';
import { Card } from '../../../ui/Card.js';
import { CsvButton } from '../../../ui/CsvButton.js';
import { LoadMore } from '../../../ui/LoadMore.js';
import { ArrivedTable } from './ArrivedTable.js';
import { SourcesTable } from './SourcesTable.js';
import styles from '../parts.module.css';

/** Who sends what, and whether all of it arrives. */
export function CompletenessSection() {
  const period = periodOf(useSearch({ strict: false }));
  return (
    <>
      <Card title="Agents that send telemetry">
        <p className={styles.note}>
          By person, agent and version, current within seconds. Ignored: records that the service does not know.
          Refused: usage that it could not take, with the last reason.
        </p>
        <Asked query={useSources()} empty={({ rows }) => (rows.length === 0 ? <NoSources /> : null)}>
          {(list) => (
            <>
              <SourcesTable sources={list.rows} />
              <LoadMore list={list} />
            </>
          )}
        </Asked>
      </Card>
      <Card
        title="What arrived by day"
        actions={<CsvButton address={completenessCsvAddress(period)} name="completeness" />}
      >
        <RangePicker isComparable={false} />
        <Asked query={useCompleteness(period)} empty={({ data }) => (data.length === 0 ? <NoDays /> : null)}>
          {({ data }) => <ArrivedTable rows={data} />}
        </Asked>
      </Card>
    </>
  );
}

function NoSources() {
  return (
    <>
      <strong>No agent has sent telemetry yet</strong>
      <p>
        <Link to="/connect">Connect an agent</Link>: it shows up here with its first record.
      </p>
    </>
  );
}

function NoDays() {
  return (
    <>
      <strong>Nothing arrived in this range</strong>
      <p>Choose a longer range. Today is counted after midnight (UTC).</p>
    </>
  );
}
