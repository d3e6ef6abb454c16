import { Link } from '@tanstack/react-router';
import { type TodayAnswer, useToday } from '../../api/analytics.js';
import { Bars } from '../../charts/Bars.js';
import { compact, dollars, instant, whole } from '../../format.js';
import { Asked } from '../../ui/Asked.js';
import { Card } from '../../ui/Card.js';
import styles from './Overview.module.css';

const HOURS = Array.from({ length: 24 }, (_, hour) => hour);

/** The running day. It is marked as such, and compared with nothing. */
export function TodayStrip() {
  return (
    <Card title="Today so far (UTC)">
      <Asked query={useToday()} empty={({ data }) => (data.active_people === 0 ? <Quiet /> : null)}>
        {(answer) => <Strip answer={answer} />}
      </Asked>
    </Card>
  );
}

function Quiet() {
  return (
    <>
      <strong>Nothing yet today</strong>
      <p>
        The first event shows here within seconds. <Link to="/connect">Connect an agent</Link>
      </p>
    </>
  );
}

function Strip({ answer: { data, meta } }: { answer: TodayAnswer }) {
  const byHour = new Map(data.by_hour.map((row) => [row.hour, row.billable_tokens]));
  const facts: [string, string][] = [
    ['People', whole(data.active_people)],
    ['Sessions', whole(data.sessions)],
    ['Billable tokens', compact(data.billable_tokens)],
    ['Cost (estimate)', dollars(data.cost)],
    ['Tool calls', compact(data.tool_calls)],
  ];
  return (
    <>
      <dl className={styles.today}>
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <Bars
        title="Billable tokens by hour"
        bars={HOURS.map((hour) => ({ label: `${hour}:00`, value: byHour.get(hour) ?? 0 }))}
        format={compact}
      />
      <p className={styles.freshness}>As of {instant(meta.as_of)}; the day is not over and is compared with nothing.</p>
    </>
  );
}
