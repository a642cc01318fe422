import { area } from 'd3-shape';
import { useState } from 'preact/hooks';
import { Chart, type Scale } from '../charts/chart.tsx';
import { formatAmount, formatDate } from '../format.ts';
import { leadingPayment } from './leading-payment.ts';
import { exceptionText, paymentLabel } from './payment-text.ts';
import { balanceAfter, chargesOf, sumSchedule, type ShownRow, type ShownSchedule } from './schedule.ts';
import { t } from './texts.ts';

const SERIES = ['principal', 'interest', 'charges'] as const;

interface ScheduleChartProps {
  readonly schedule: ShownSchedule;
  readonly decimals: number;
  /** Empty if the loan has none. */
  readonly currency: string;
}

/** Payments by their parts, stacked, and the balance after each of them. */
export function ScheduleChart({ schedule, decimals, currency }: ScheduleChartProps) {
  const { rows } = schedule;
  const [pointed, setPointed] = useState<number>();
  const row = pointed === undefined ? undefined : rows[pointed];
  const balances = [rows[0]?.remainingValue ?? 0, ...rows.map(balanceAfter)];
  return (
    <Chart
      label={describeSchedule(schedule, decimals)}
      currency={currency}
      legend={SERIES.map((series) => [
        <span class="chart-swatch" style={`background: var(--series-${series})`} aria-hidden="true" />,
        t(series),
      ])}
      panels={[
        { title: t('payments'), height: 180, ticks: 4, amounts: rows.map((one) => one.totalInstallment) },
        { title: t('balance'), height: 90, ticks: 3, amounts: balances },
      ]}
      range={[0, rows.length]}
      dates={(room) => {
        const every = Math.max(1, Math.ceil(rows.length / room));
        return rows.flatMap(({ DueDate }, at) => (at % every === 0 ? [[at, DueDate] as const] : []));
      }}
      onPoint={(at) => setPointed(at === undefined ? undefined : Math.floor(at))}
      note={
        <p class="small soft figures schedule-pointed no-print" aria-hidden="true">
          {row === undefined ? t('pointHint') : describeRow(row, decimals)}
        </p>
      }
    >
      {(x, [payments = x, balance = x]) => (
        <>
          {pointed !== undefined && row !== undefined && (
            <rect
              class="schedule-cursor"
              x={x(pointed)}
              y={payments.range()[1]}
              width={Math.max(1, x(1) - x(0))}
              height={balance(0) - (payments.range()[1] ?? 0)}
            />
          )}
          {columnsOf(rows, x, payments).map((columns, at) => (
            <path key={at} d={columns} fill={`var(--series-${SERIES[at]})`} />
          ))}
          <path
            class="schedule-balance"
            d={
              area<number>(
                (_, at) => x(at),
                balance(0),
                (value) => balance(value),
              )(balances) ?? ''
            }
          />
        </>
      )}
    </Chart>
  );
}

/** The columns of each series, as a shape. */
function columnsOf(rows: readonly ShownRow[], x: Scale, y: Scale): readonly string[] {
  const width = x(1) - x(0);
  const gap = width > 4 ? Math.min(3, width * 0.2) : 0;
  const columns: string[] = SERIES.map(() => '');
  for (const [index, row] of rows.entries()) {
    const start = (x(index) + gap / 2).toFixed(2);
    let below = 0;
    for (const [at, part] of [row.principal, row.interest, chargesOf(row)].entries()) {
      // Principal is negative while a balance grows, and has no column then.
      const top = below + Math.max(0, part);
      columns[at] +=
        `M${start},${y(top).toFixed(2)}h${(width - gap).toFixed(2)}V${y(below).toFixed(2)}h${(gap - width).toFixed(2)}Z`;
      below = top;
    }
  }
  return columns;
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
