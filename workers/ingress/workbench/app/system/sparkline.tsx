import { line } from 'd3-shape';
import type { SystemState } from '../../../../../shared/api/operations/system-state.ts';
import { HISTORY_STEPS, type History } from './use-system.ts';

const WIDTH = 120;
const HEIGHT = 28;
const PADDING = 2;

/**
 * The past of a figure as a line, from five minutes ago at the left until now; without axes, beside its value. It is not read by
 * screen readers, which have the value. Where the page was not connected it has a gap.
 */
export function Sparkline(props: { history: History; figure: (state: SystemState) => number | undefined }) {
  const values = props.history.map((state) => (state === undefined ? undefined : props.figure(state)));
  const largest = Math.max(...values.map((value = 0) => value)) || 1;
  const first = HISTORY_STEPS - values.length;
  const draw = line<number | undefined>()
    .defined((value) => value !== undefined)
    .x((_, index) => ((first + index) / (HISTORY_STEPS - 1)) * WIDTH)
    .y((value = 0) => HEIGHT - PADDING - (value / largest) * (HEIGHT - 2 * PADDING));
  return (
    <svg
      class="sparkline"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      aria-hidden="true"
      focusable="false"
    >
      <line x1="0" x2={WIDTH} y1={HEIGHT - PADDING} y2={HEIGHT - PADDING} />
      <path d={draw(values) ?? ''} />
    </svg>
  );
}
