import { scaleLinear } from 'd3-scale';
import { area } from 'd3-shape';
import { useState } from 'preact/hooks';
import { Grid, PLOT_LEFT as LEFT, PLOT_RIGHT as RIGHT, useWidth, withCurrency } from '../charts/plot.tsx';
import { formatAmount, formatDate } from '../format.ts';
import { leadingPayment } from './leading-payment.ts';
import { exceptionText, paymentLabel } from './payment-text.ts';
import { balanceAfter, chargesOf, sumSchedule, type ShownRow, type ShownSchedule } from './schedule.ts';
import { t } from './texts.ts';

const SERIES = ['principal', 'interest', 'charges'] as const;
const PAYMENTS = { top: 26, height: 180 };
const BALANCE = { top: 258, height: 90 };
const HEIGHT = 380;
/** Room that the label of a date needs. */
const DATE_WIDTH = 110;

interface ScheduleChartProps {
  readonly schedule: ShownSchedule;
  readonly decimals: number;
  /** Empty if the loan has none. */
  readonly currency: string;
}

/** Payments by their parts, stacked, and the balance after each of them. The table has the same figures for those who do not see it. */
export function ScheduleChart({ schedule, decimals, currency }: ScheduleChartProps) {
  const { rows } = schedule;
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
      <Legend />
      <div ref={frame}>
        <svg
          class="chart"
          role="img"
          aria-label={describeSchedule(schedule, decimals)}
          viewBox={`0 0 ${width} ${HEIGHT}`}
          onPointerMove={move}
          onPointerLeave={() => setPointed(undefined)}
        >
          <text x={LEFT} y={PAYMENTS.top - 12} class="schedule-chart-title">
            {withCurrency(t('payments'), currency)}
          </text>
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
            {withCurrency(t('balance'), currency)}
          </text>
          <Grid scale={plot.balance} ticks={3} width={width} />
          <path class="schedule-balance" d={plot.balanceArea} />
          <Dates rows={rows} plot={plot} width={width} />
        </svg>
      </div>
      <p class="small soft figures schedule-pointed no-print" aria-hidden="true">
        {row === undefined ? t('pointHint') : describeRow(row, decimals)}
      </p>
    </figure>
  );
}

type Plot = ReturnType<typeof plotRows>;

/** Scales and shapes for a width in pixels. */
function plotRows(rows: readonly ShownRow[], width: number) {
  const x = scaleLinear([0, rows.length], [LEFT, width - RIGHT]);
  const payments = scaleLinear(
    [0, Math.max(1, ...rows.map(({ totalInstallment }) => totalInstallment))],
    [PAYMENTS.top + PAYMENTS.height, PAYMENTS.top],
  ).nice(4);
  const balances = [rows[0]?.remainingValue ?? 0, ...rows.map(balanceAfter)];
  const balance = scaleLinear(
    [0, Math.max(1, ...balances)],
    [BALANCE.top + BALANCE.height, BALANCE.top],
  ).nice(3);
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
    </ul>
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
    principal: formatAmount(row.principal, decimals),
    interest: formatAmount(row.interest, decimals),
    charges: formatAmount(chargesOf(row), decimals),
    balance: formatAmount(balanceAfter(row), decimals),
  });
}

function describeSchedule(schedule: ShownSchedule, decimals: number): string {
  const totals = sumSchedule(schedule);
  const payment = leadingPayment(schedule.rows);
  const amount = (value: number): string => formatAmount(value, decimals);
  const leading = `${paymentLabel(payment)}: ${amount(payment.amount)}`;
  return t('chartText', {
    count: totals.rows,
    payments: [leading, exceptionText(payment, amount)].filter(Boolean).join(', '),
    total: amount(totals.total),
    interest: amount(totals.interest),
    charges: amount(totals.charges),
  });
}
