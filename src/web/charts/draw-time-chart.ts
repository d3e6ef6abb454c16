import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { day as shownDay } from '../format.js';
import { type Series, stacked } from './stacking.js';

export const HEIGHT = 260;
const AXIS_PX = 64;

interface Drawing {
  readonly days: readonly string[];
  readonly series: readonly (Series & { readonly colour: string })[];
  readonly before?: readonly (number | null)[] | undefined;
  readonly format: (value: number) => string;
  readonly isStacked: boolean;
  readonly onCursor: (index: number | null) => void;
}

/** The canvas alone, with the colours of the present theme. */
export function drawTimeChart(place: HTMLElement, drawing: Drawing): uPlot {
  const { days, series, before, format, isStacked, onCursor } = drawing;
  const colour = (name: string) => getComputedStyle(place).getPropertyValue(name);
  const [muted, line] = [resolved(place, colour('--muted')), resolved(place, colour('--line'))];
  const axis = { stroke: muted, grid: { stroke: line, width: 1 }, ticks: { show: false } };
  const tops = isStacked ? stacked(series) : series.map(({ values }) => [...values]);
  const seconds = days.map((text) => Date.parse(`${text}T00:00:00Z`) / 1000);
  return new uPlot(
    {
      width: place.clientWidth,
      height: HEIGHT,
      legend: { show: false },
      cursor: { drag: { setScale: false, x: false, y: false } },
      tzDate: (at) => uPlot.tzDate(new Date(at * 1000), 'UTC'),
      scales: { y: { range: (_chart, _min, max) => [0, Math.max(max * 1.05, 1)] } },
      axes: [
        {
          ...axis,
          values: (_chart, ticks) => ticks.map((at) => shownDay(new Date(at * 1000).toISOString().slice(0, 10))),
        },
        { ...axis, size: AXIS_PX, values: (_chart, ticks) => ticks.map(format) },
      ],
      series: [
        {},
        ...series.map((one) => ({
          stroke: one.colour,
          width: isStacked ? 1 : 2,
          points: { show: days.length < 3 },
          ...(isStacked ? { fill: `${one.colour}aa` } : {}),
        })),
        ...(before ? [{ stroke: muted, width: 1.5, dash: [6, 5], points: { show: false } }] : []),
      ],
      bands: isStacked ? series.slice(1).map((_, i) => ({ series: [i + 2, i + 1] as [number, number] })) : [],
      hooks: { setCursor: [({ cursor }) => onCursor(cursor.idx ?? null)] },
    },
    [seconds, ...(tops as number[][]), ...(before ? [before as number[]] : [])],
    place,
  );
}

/** A canvas does not know `light-dark()`: the browser resolves it for an element. */
function resolved(place: HTMLElement, colour: string): string {
  const probe = document.createElement('span');
  probe.style.color = colour;
  place.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}
