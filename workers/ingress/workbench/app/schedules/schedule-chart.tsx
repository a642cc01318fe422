import { scaleLinear } from 'd3-scale';
import { area } from 'd3-shape';
import { useEffect, useRef, useState } from 'preact/hooks';
import { formatAmount, formatCompact, formatDate } from '../format.ts';
import { balanceAfter, chargesOf, sumRows, type ShownRow } from './schedule.ts';
import { t } from './texts.ts';

const SERIES = ['principal', 'interest', 'charges'] as const;
const PAYMENTS = { top: 8, height: 190 };
const BALANCE = { top: 250, height: 90 };
const HEIGHT = 372;
const LEFT = 52;
const RIGHT = 8;
/** Room that the label of a date needs. */
const DATE_WIDTH = 110;

/** Payments by their parts, stacked, and the balance after each of them. The table has the same figures for those who do not see it. */
export function ScheduleChart({ rows, decimals }: { rows: readonly ShownRow[]; decimals: number }) {
  const [frame, width] = useWidth();
  const [pointed, setPointed] = useState<number>();
  const plot = plotRows(rows, width);
  const row = pointed === undefined ? undefined : rows[pointed];
  const move = (event: PointerEvent): void => {
    const box = frame.current?.getBoundingClientRect();
    if (box === undefined) return;
    const index = Math.floor(plot.x.invert(event.clientX - box.left));
    setPointed(index >= 0 && index < rows.length ? index : undefined);
  };
  return (
    <figure class="schedule-chart">
      <div class="row-between">
        <Legend />
        <span class="small soft figures schedule-pointed" aria-hidden="true">
          {row !== undefined && describeRow(row, decimals)}
        </span>
      </div>
      <div ref={frame}>
        <svg
          class="chart"
          role="img"
          aria-label={describeRows(rows, decimals)}
          viewBox={`0 0 ${width} ${HEIGHT}`}
          onPointerMove={move}
          onPointerLeave={() => setPointed(undefined)}
        >
          <Grid scale={plot.payments} ticks={4} width={width} />
          {pointed !== undefined && row !== undefined && (
            <rect
              class="schedule-cursor"
              x={plot.x(pointed)}
              y={PAYMENTS.top}
              width={Math.max(1, plot.columnWidth)}
              height={BALANCE.top + BALANCE.height - PAYMENTS.top}
            />
          )}
          {SERIES.map((series, at) => (
            <path key={series} d={plot.columns[at]} fill={`var(--series-${series})`} />
          ))}
          <text x={LEFT} y={BALANCE.top - 12} class="schedule-chart-title">
            {t('balance')}
          </text>
          <Grid scale={plot.balance} ticks={2} width={width} />
          <path class="schedule-balance" d={plot.balanceArea} />
          <Dates rows={rows} plot={plot} width={width} />
        </svg>
      </div>
    </figure>
  );
}

type Plot = ReturnType<typeof plotRows>;

/** Scales and shapes for a width in pixels. */
function plotRows(rows: readonly ShownRow[], width: number) {
  const x = scaleLinear([0, rows.length], [LEFT, width - RIGHT]);
  const payments = scaleLinear(
    [0, Math.max(1, sumRows(rows).highest)],
    [PAYMENTS.top + PAYMENTS.height, PAYMENTS.top],
  ).nice(4);
  const balances = [rows[0]?.remainingValue ?? 0, ...rows.map(balanceAfter)];
  const balance = scaleLinear(
    [0, Math.max(1, ...balances)],
    [BALANCE.top + BALANCE.height, BALANCE.top],
  ).nice(2);
  const columnWidth = (width - LEFT - RIGHT) / Math.max(1, rows.length);
  const gap = columnWidth > 4 ? Math.min(3, columnWidth * 0.2) : 0;
  const columns: string[] = SERIES.map(() => '');
  for (const [index, row] of rows.entries()) {
    const start = (x(index) + gap / 2).toFixed(2);
    let below = 0;
    for (const [at, part] of [row.principal, row.interest, chargesOf(row)].entries()) {
      // Principal is negative while a balance grows, and has no column then.
      const top = below + Math.max(0, part);
      columns[at] +=
        `M${start},${payments(top).toFixed(2)}h${(columnWidth - gap).toFixed(2)}V${payments(below).toFixed(2)}h${(gap - columnWidth).toFixed(2)}Z`;
      below = top;
    }
  }
  const balanceArea =
    area<number>()
      .x((_, index) => x(index))
      .y0(balance(0))
      .y1((value) => balance(value))(balances) ?? '';
  return { x, payments, balance, columnWidth, columns, balanceArea };
}

function Legend() {
  return (
    <ul class="chart-legend">
      {SERIES.map((series) => (
        <li key={series}>
          <span class="chart-swatch" style={`background: var(--series-${series})`} aria-hidden="true" />
          {t(series)}
        </li>
      ))}
      <li>
        <span
          class="chart-swatch chart-swatch-line"
          style="background: var(--series-balance)"
          aria-hidden="true"
        />
        {t('balance')}
      </li>
    </ul>
  );
}

function Grid({ scale, ticks, width }: { scale: Plot['payments']; ticks: number; width: number }) {
  return (
    <g>
      {scale.ticks(ticks).map((tick) => (
        <g key={tick}>
          <line
            class={tick === 0 ? 'axis' : 'grid'}
            x1={LEFT}
            x2={width - RIGHT}
            y1={scale(tick)}
            y2={scale(tick)}
          />
          <text x={LEFT - 8} y={scale(tick)} dy="0.32em" text-anchor="end">
            {formatCompact(tick)}
          </text>
        </g>
      ))}
    </g>
  );
}

/** As many due dates as have room. */
function Dates({ rows, plot, width }: { rows: readonly ShownRow[]; plot: Plot; width: number }) {
  const room = Math.max(2, Math.floor((width - LEFT) / DATE_WIDTH));
  const every = Math.max(1, Math.ceil(rows.length / room));
  return (
    <g>
      {rows.map((row, index) =>
        index % every === 0 ? (
          <text key={index} x={plot.x(index)} y={HEIGHT - 12}>
            {formatDate(row.DueDate)}
          </text>
        ) : null,
      )}
    </g>
  );
}

function describeRow(row: ShownRow, decimals: number): string {
  return t('pointer', {
    number: row.InstallmentNo,
    date: formatDate(row.DueDate),
    total: formatAmount(row.totalInstallment, decimals),
  });
}

function describeRows(rows: readonly ShownRow[], decimals: number): string {
  const totals = sumRows(rows);
  return t('chartText', {
    count: rows.length,
    first: formatAmount(totals.first, decimals),
    highest: formatAmount(totals.highest, decimals),
    total: formatAmount(totals.total, decimals),
    interest: formatAmount(totals.interest, decimals),
    charges: formatAmount(totals.charges, decimals),
  });
}

/** The width of an element in pixels, as it changes. */
function useWidth() {
  const element = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(720);
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => {
      if (entry !== undefined) setWidth(Math.max(280, Math.round(entry.contentRect.width)));
    });
    if (element.current !== null) observer.observe(element.current);
    return () => observer.disconnect();
  }, []);
  return [element, width] as const;
}
