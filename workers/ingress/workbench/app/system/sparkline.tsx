import type { Figures } from './figures.ts';
import { HISTORY_STEPS } from './use-system.ts';

const WIDTH = 120;
const HEIGHT = 28;
const PADDING = 2;

/**
 * The past of a figure as a line, from five minutes ago at the left until now; without axes, beside its value. It is not read by
 * screen readers, which have the value. Where the page was not connected it has a gap.
 */
export function Sparkline({ history, name }: { history: readonly (Figures | undefined)[]; name: string }) {
  const values = history.map((figures) => figures?.get(name));
  const known = values.filter((value) => value !== undefined);
  const largest = Math.max(...known, 0);
  const first = HISTORY_STEPS - values.length;
  const place = (value: number, index: number): string => {
    const x = ((first + index) / (HISTORY_STEPS - 1)) * WIDTH;
    const share = largest === 0 ? 0 : value / largest;
    const y = HEIGHT - PADDING - share * (HEIGHT - 2 * PADDING);
    return `${x.toFixed(1)},${y.toFixed(1)}`;
  };
  return (
    <svg
      class="sparkline"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      aria-hidden="true"
      focusable="false"
    >
      <line x1="0" x2={WIDTH} y1={HEIGHT - PADDING} y2={HEIGHT - PADDING} />
      {partsOf(values).map(({ from, values: part }) => (
        <polyline key={from} points={part.map((value, index) => place(value, from + index)).join(' ')} />
      ))}
    </svg>
  );
}

/** Runs of known values. A single one gets a length, so that it is seen. */
function partsOf(values: readonly (number | undefined)[]) {
  const parts: { from: number; values: number[] }[] = [];
  let open: { from: number; values: number[] } | undefined;
  for (const [index, value] of values.entries()) {
    if (value === undefined) open = undefined;
    else if (open === undefined) parts.push((open = { from: index, values: [value] }));
    else open.values.push(value);
  }
  return parts.map((part) =>
    part.values.length > 1 ? part : { from: part.from - 1, values: [...part.values, ...part.values] },
  );
}
