import { scaleLinear } from 'd3-scale';
import { formatNumber, formatPercent } from '../format.ts';
import type { Bin } from './portfolio-summary.ts';
import { t } from './texts.ts';

const WIDTH = 720;
const HEIGHT = 240;
const MARGIN = { top: 12, right: 12, bottom: 32, left: 48 };
const TICKS = 4;

/** How many contracts changed by how much. The table of largest changes has the details. */
export function DistributionChart({ bins }: { bins: readonly Bin[] }) {
  const first = bins[0]?.from ?? 0;
  const last = bins.at(-1)?.to ?? 1;
  const most = Math.max(...bins.map(({ count }) => count), 1);
  const x = scaleLinear([first, last], [MARGIN.left, WIDTH - MARGIN.right]);
  const y = scaleLinear([0, most], [HEIGHT - MARGIN.bottom, MARGIN.top]).nice(TICKS);
  const label = bins.filter(({ count }) => count > 0).map(describe);
  return (
    <svg class="chart" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={label.join('; ')}>
      {y
        .ticks(TICKS)
        .filter(Number.isInteger)
        .map((tick) => (
          <g key={tick}>
            <line class="grid" x1={MARGIN.left} x2={WIDTH - MARGIN.right} y1={y(tick)} y2={y(tick)} />
            <text x={MARGIN.left - 8} y={y(tick) + 4} text-anchor="end">
              {formatNumber(tick)}
            </text>
          </g>
        ))}
      {bins.map((bin) => (
        <rect
          key={bin.from}
          x={x(bin.from) + 1}
          width={Math.max(1, x(bin.to) - x(bin.from) - 2)}
          y={y(bin.count)}
          height={y(0) - y(bin.count)}
          fill={bin.from < 0 && bin.to > 0 ? 'var(--line-strong)' : 'var(--series-principal)'}
        >
          <title>{describe(bin)}</title>
        </rect>
      ))}
      {[first, first / 2, 0, last / 2, last].map((tick) => (
        <text key={tick} x={x(tick)} y={HEIGHT - 10} text-anchor={anchor(tick, first, last)}>
          {formatPercent(tick)}
        </text>
      ))}
      <line class="axis" x1={MARGIN.left} x2={WIDTH - MARGIN.right} y1={y(0)} y2={y(0)} />
    </svg>
  );
}

function anchor(tick: number, first: number, last: number): 'start' | 'middle' | 'end' {
  if (tick === first) return 'start';
  return tick === last ? 'end' : 'middle';
}

function describe({ count, from, to }: Bin): string {
  return t('distributionText', {
    count: formatNumber(count),
    from: formatPercent(from),
    to: formatPercent(to),
  });
}
