import styles from './Bars.module.css';

interface Props {
  readonly title: string;
  readonly bars: readonly { readonly label: string; readonly value: number }[];
  readonly format: (value: number) => string;
}

const [WIDTH, HEIGHT] = [24, 80];

/** Upright bars; a screen reader reads them as a table. */
export function Bars({ title, bars, format }: Props) {
  const max = Math.max(...bars.map(({ value }) => value), 1);
  return (
    <>
      <svg
        className={styles.bars}
        viewBox={`0 0 ${bars.length * WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        aria-hidden="true"
      >
        {bars.map(({ label, value }, i) => {
          const height = (value / max) * (HEIGHT - 4);
          return (
            <rect
              key={label}
              x={i * WIDTH + 3}
              y={HEIGHT - Math.max(height, 1)}
              width={WIDTH - 6}
              height={Math.max(height, 1)}
              fill="currentColor"
            >
              <title>{`${label}: ${format(value)}`}</title>
            </rect>
          );
        })}
      </svg>
      <div className={styles.labels} aria-hidden="true">
        <span>{bars[0]?.label}</span>
        <span>{bars[Math.floor(bars.length / 2)]?.label}</span>
        <span>{bars.at(-1)?.label}</span>
      </div>
      <table className="visually-hidden">
        <caption>{title}</caption>
        <tbody>
          {bars.map(({ label, value }) => (
            <tr key={label}>
              <th scope="row">{label}</th>
              <td>{format(value)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}
