import { useNavigate, useSearch } from '@tanstack/react-router';
import { type Comparison, comparedWith, type Preset, PRESETS, shift, spell } from '../ranges.js';
import { periodOf, readShellSearch, type ShellSearch, utcToday } from './search.js';
import { useShortcuts } from './use-shortcuts.js';
import styles from './RangePicker.module.css';

const COMPARISONS: Readonly<Record<Comparison, string>> = {
  previous: 'compared with the days before',
  year: 'compared with a year earlier',
  none: 'not compared',
};

/** The one range and comparison of a page. */
export function RangePicker({ isComparable = true }: { isComparable?: boolean }) {
  const search = readShellSearch(useSearch({ strict: false }));
  const navigate = useNavigate();
  const period = periodOf(search);
  const before = isComparable ? comparedWith(period, period.comparison) : null;
  const choose = (change: ShellSearch) =>
    void navigate({ to: '.', search: (now: ShellSearch) => ({ ...now, ...change }) });
  const move = (steps: number) => {
    const { from, to } = shift(period, steps, utcToday());
    choose({ range: undefined, from, to });
  };
  useShortcuts({
    '[': () => move(-1),
    ']': () => move(1),
    x: () => choose({ cmp: period.comparison === 'none' ? 'previous' : 'none' }),
  });
  return (
    <div className={styles.picker}>
      <label>
        <span className="visually-hidden">Range</span>
        <select
          value={search.from ? 'custom' : (search.range ?? '28d')}
          onChange={({ target }) =>
            choose(
              target.value === 'custom'
                ? { range: undefined, from: period.from, to: period.to }
                : { range: target.value as Preset, from: undefined, to: undefined },
            )
          }
        >
          {Object.entries(PRESETS).map(([preset, name]) => (
            <option key={preset} value={preset}>
              {name}
            </option>
          ))}
          <option value="custom">Own dates</option>
        </select>
      </label>
      {search.from && (
        <>
          <DayField name="From" value={period.from} onChange={(from) => choose({ from, to: period.to })} />
          <DayField name="To" value={period.to} onChange={(to) => choose({ from: period.from, to })} />
        </>
      )}
      {isComparable && (
        <label>
          <span className="visually-hidden">Comparison</span>
          <select value={period.comparison} onChange={({ target }) => choose({ cmp: target.value as Comparison })}>
            {Object.entries(COMPARISONS).map(([comparison, name]) => (
              <option key={comparison} value={comparison}>
                {name}
              </option>
            ))}
          </select>
        </label>
      )}
      <span className={styles.window}>
        {spell(period)} (UTC){before && `, against ${spell(before)}`}
      </span>
    </div>
  );
}

function DayField({ name, value, onChange }: { name: string; value: string; onChange: (day: string) => void }) {
  return (
    <label>
      <span className="visually-hidden">{name}</span>
      <input type="date" value={value} onChange={({ target }) => target.value && onChange(target.value)} />
    </label>
  );
}
