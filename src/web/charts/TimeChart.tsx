import { useEffect, useId, useRef, useState } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { day as shownDay } from '../format.js';
import { colourOf } from './colours.js';
import { type Series, stacked } from './stacking.js';
import styles from './TimeChart.module.css';

const HEIGHT = 260;
const SECONDS_PER_MS = 1 / 1000;

interface Props {
  readonly title: string;
  readonly days: readonly string[];
  readonly series: readonly Series[];
  /** Of the value axis, the cursor and the table. */
  readonly format: (value: number) => string;
  readonly isStacked?: boolean;
  /** The key of the series that holds everything not named. */
  readonly otherKey?: string;
}

/** Days against values. The canvas is for the eye; arrow keys and a table say the same to everybody else. */
export function TimeChart({ title, days, series, format, isStacked = false, otherKey }: Props) {
  const place = useRef<HTMLDivElement>(null);
  const [cursor, setCursor] = useState<number | null>(null);
  const titleId = useId();

  useEffect(() => {
    if (!place.current) return;
    const chart = draw(place.current, { days, series, format, isStacked, otherKey, onCursor: setCursor });
    const resize = new ResizeObserver(([entry]) => {
      if (entry) chart.setSize({ width: entry.contentRect.width, height: HEIGHT });
    });
    resize.observe(place.current);
    return () => {
      resize.disconnect();
      chart.destroy();
    };
  }, [days, series, format, isStacked, otherKey]);

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
      <ul className={styles.legend} aria-hidden="true">
        {series.map(({ key, label }, i) => (
          <li key={key}>
            <Swatch colour={colourOf(i, key === otherKey)} /> {label}
          </li>
        ))}
      </ul>
      <p className={styles.cursor} aria-live="polite">
        {cursor === null ? ' ' : spoken(days, series, cursor, format)}
      </p>
    </figure>
  );
}

function Swatch({ colour }: { colour: string }) {
  return (
    <svg width="10" height="10" viewBox="0 0 10 10">
      <rect width="10" height="10" rx="2" fill={colour} />
    </svg>
  );
}

function spoken(days: readonly string[], series: readonly Series[], at: number, format: Props['format']): string {
  const values = series.map(({ label, values: own }) => `${label} ${format(own[at] ?? 0)}`);
  return `${shownDay(days[at] ?? '')}: ${values.join(', ')}`;
}

interface Drawing extends Omit<Props, 'title'> {
  readonly onCursor: (index: number | null) => void;
}

function draw(place: HTMLElement, { days, series, format, isStacked, otherKey, onCursor }: Drawing): uPlot {
  const colour = (name: string) => getComputedStyle(place).getPropertyValue(name);
  const tops = isStacked ? stacked(series) : series.map(({ values }) => values.map((value) => value));
  const seconds = days.map((text) => Date.parse(`${text}T00:00:00Z`) * SECONDS_PER_MS);
  const axis = { stroke: colour('--muted'), grid: { stroke: colour('--line'), width: 1 }, ticks: { show: false } };
  return new uPlot(
    {
      width: place.clientWidth,
      height: HEIGHT,
      legend: { show: false },
      tzDate: (at) => uPlot.tzDate(new Date(at * 1000), 'UTC'),
      scales: { y: { range: (_chart, _min, max) => [0, Math.max(max * 1.05, 1)] } },
      axes: [
        {
          ...axis,
          values: (_chart, ticks) => ticks.map((at) => shownDay(new Date(at * 1000).toISOString().slice(0, 10))),
        },
        { ...axis, size: 64, values: (_chart, ticks) => ticks.map(format) },
      ],
      series: [
        {},
        ...series.map(({ key }, i) => {
          const stroke = colourOf(i, key === otherKey);
          return { stroke, width: 2, points: { show: days.length < 3 }, ...(isStacked ? { fill: `${stroke}33` } : {}) };
        }),
      ],
      bands: isStacked ? series.slice(1).map((_, i) => ({ series: [i + 2, i + 1] as [number, number] })) : [],
      hooks: { setCursor: [({ cursor }) => onCursor(cursor.idx ?? null)] },
    },
    [seconds, ...(tops as number[][])],
    place,
  );
}
