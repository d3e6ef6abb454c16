import { useEffect, useId, useMemo, useRef, useState } from 'react';
import { day as shownDay } from '../format.js';
import { TableCsvButton } from '../ui/CsvButton.js';
import type { CsvColumn } from '../ui/column.js';
import { DataTable } from '../ui/DataTable.js';
import { colourOf } from './colours.js';
import { drawTimeChart, HEIGHT } from './draw-time-chart.js';
import type { Series } from './stacking.js';
import styles from './TimeChart.module.css';

interface Props {
  readonly title: string;
  readonly days: readonly string[];
  readonly series: readonly Series[];
  /** The total of the days that are compared with, weekday on weekday. */
  readonly before?: readonly (number | null)[] | undefined;
  /** Of the value axis, the cursor and the table. */
  readonly format: (value: number) => string;
  readonly isStacked?: boolean;
  /** The key of the series that holds everything not named. */
  readonly otherKey?: string;
}

/** Days against values. The canvas is for the eye; arrow keys and a table say the same to everybody else. */
export function TimeChart({ title, days, series, before, format, isStacked = false, otherKey }: Props) {
  const place = useRef<HTMLDivElement>(null);
  const [cursor, setCursor] = useState<number | null>(null);
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set());
  const titleId = useId();
  const drawn = useMemo(
    () =>
      series
        .map((one, i) => ({ ...one, colour: colourOf(i, one.key === otherKey) }))
        .filter(({ key }) => !hidden.has(key)),
    [series, hidden, otherKey],
  );

  useEffect(() => {
    const element = place.current;
    if (!element) return;
    const draw = () => drawTimeChart(element, { days, series: drawn, before, format, isStacked, onCursor: setCursor });
    let chart = draw();
    const redraw = () => {
      chart.destroy();
      chart = draw();
    };
    const resize = new ResizeObserver(([entry]) => {
      if (entry) chart.setSize({ width: entry.contentRect.width, height: HEIGHT });
    });
    resize.observe(element);
    window.addEventListener('themechange', redraw);
    return () => {
      window.removeEventListener('themechange', redraw);
      resize.disconnect();
      chart.destroy();
    };
  }, [days, drawn, before, format, isStacked]);

  const move = (event: React.KeyboardEvent) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    setCursor((at) => Math.min(Math.max((at ?? (step > 0 ? -1 : days.length)) + step, 0), days.length - 1));
  };

  return (
    <figure className={styles.figure} aria-labelledby={titleId}>
      <figcaption id={titleId} className="visually-hidden">
        {title}
      </figcaption>
      <div
        ref={place}
        className={styles.canvas}
        role="img"
        tabIndex={0}
        aria-label={`${title}. Arrow keys read the values of a day.`}
        onKeyDown={move}
      />
      {series.length > 1 && (
        <Legend {...{ series, otherKey, hidden }} onChange={setHidden} hasBefore={Boolean(before)} />
      )}
      <p className={styles.cursor} aria-live="polite">
        {cursor === null ? ' ' : spoken(days, drawn, before, cursor, format)}
      </p>
      <Values title={title} days={days} series={series} before={before} format={format} />
    </figure>
  );
}

interface LegendProps {
  readonly series: readonly Series[];
  readonly otherKey: string | undefined;
  readonly hidden: ReadonlySet<string>;
  readonly onChange: (hidden: ReadonlySet<string>) => void;
  readonly hasBefore: boolean;
}

function Legend({ series, otherKey, hidden, onChange, hasBefore }: LegendProps) {
  const toggle = (key: string) => {
    const next = new Set(hidden);
    if (!next.delete(key)) next.add(key);
    onChange(next);
  };
  return (
    <div className={styles.legend} role="group" aria-label="Shown in the chart">
      {series.map(({ key, label }, i) => (
        <button key={key} type="button" aria-pressed={!hidden.has(key)} onClick={() => toggle(key)}>
          <svg width="10" height="10" viewBox="0 0 10 10" aria-hidden="true">
            <rect width="10" height="10" rx="2" fill={colourOf(i, key === otherKey)} />
          </svg>
          {label}
        </button>
      ))}
      {hasBefore && <span>- - - total of the days before</span>}
    </div>
  );
}

function spoken(
  days: readonly string[],
  series: readonly Series[],
  before: Props['before'],
  at: number,
  format: Props['format'],
): string {
  const values = series.map(({ label, values: own }) => `${label} ${format(own[at] ?? 0)}`);
  const then = before ? [`total then ${format(before[at] ?? 0)}`] : [];
  return `${shownDay(days[at] ?? '')}: ${[...values, ...then].join(', ')}`;
}

/** The same values as a table, and as a file. */
function Values({ title, days, series, before, format }: Omit<Props, 'isStacked' | 'otherKey'>) {
  const [isOpen, setOpen] = useState(false);
  const rows = useMemo(() => days.map((date, at) => ({ date, at })), [days]);
  const columns: CsvColumn<{ date: string; at: number }>[] = [
    { name: 'Day (UTC)', value: ({ date }) => date, show: ({ date }) => date },
    ...[...series, ...(before ? [{ key: ' before', label: 'Total of the days before', values: before }] : [])].map(
      ({ label, values }) => ({
        name: label,
        isNumber: true,
        value: ({ at }: { at: number }) => values[at] ?? null,
        show: ({ at }: { at: number }) => format(values[at] ?? 0),
      }),
    ),
  ];
  return (
    <details className={styles.values} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>As table</summary>
      {isOpen && (
        <>
          <TableCsvButton columns={columns} rows={rows} name={title} />
          <DataTable caption={`${title}, by day`} columns={columns} rows={rows} keyOf={({ date }) => date} />
        </>
      )}
    </details>
  );
}
