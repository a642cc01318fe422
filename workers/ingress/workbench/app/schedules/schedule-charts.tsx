import { scaleUtc } from 'd3-scale';
import { Chart, type Series } from '../charts/chart.tsx';
import { formatAmount } from '../format.ts';
import { DAY_MS, dayMs, dayText } from '../utc-days.ts';
import { schedulesText as t } from '../texts.ts';
import { leadingPayment, exceptionText, paymentLabel } from './leading-payment.ts';
import { balanceAfter, chargesOf, sumSchedule, type ShownRow, type ShownSchedule } from './schedule.ts';
import { currencyOf } from './loan.ts';
import { variantName, type Variant } from './variant-table.tsx';

/** Shows payments as stacks of their parts, and the balance after each. `currency` is empty if the loan states none. */
export function ScheduleChart(props: { schedule: ShownSchedule; decimals: number; currency: string }) {
  const { schedule, decimals, currency } = props;
  const { rows } = schedule;
  const columns = (
    [
      ['principal', (row: ShownRow) => row.principal],
      ['interest', (row: ShownRow) => row.interest],
      ['charges', chargesOf],
    ] as const
  ).map(([name, of]) => ({ series: { name: t(name), colour: `--series-${name}` }, amounts: rows.map(of) }));
  const balance: Series = { name: t('balance'), colour: '--series-balance' };
  const balances = [rows[0]?.remainingValue ?? 0, ...rows.map(balanceAfter)];
  const points = balances.map((amount, at) => [at, amount] as const);
  return (
    <Chart
      label={describeSchedule(schedule, decimals)}
      currency={currency}
      legend={[...columns.map(({ series }) => series), balance]}
      panels={[
        { title: t('payments'), height: 180, ticks: 4, columns },
        { title: balance.name, height: 90, ticks: 3, shapes: [{ series: balance, kind: 'area', points }] },
      ]}
      range={[0, rows.length]}
      dates={(most) => {
        const every = Math.max(1, Math.ceil(rows.length / most));
        return rows.flatMap(({ DueDate }, at) => (at % every === 0 ? [[at, DueDate] as const] : []));
      }}
    />
  );
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

const DASHES = [undefined, '7 4', '2 3'];

/** Shows payments and balances over time if at least two variants have a schedule and all have the same currency. */
export function VariantChart({ variants }: { variants: readonly Variant[] }) {
  const lines = variants.flatMap(({ schedule }, index) => {
    if (schedule === undefined) return [];
    const name = t('variant', { name: variantName(index) });
    const series: Series = { name, colour: `--series-${index + 1}`, dash: DASHES[index] };
    return [{ series, ...pointsOf(schedule) }];
  });
  const [currency = '', ...otherCurrencies] = new Set(variants.map(({ loan }) => currencyOf(loan)));
  if (lines.length < 2 || otherCurrencies.length > 0) return null;
  const first = Math.min(...lines.map(({ start }) => start));
  const last = Math.max(...lines.map(({ balances }) => balances.at(-1)?.[0] ?? 0));
  const panel = { height: 130, ticks: 3 };
  const steps = lines.map(({ series, paid }) => ({ series, kind: 'steps' as const, points: paid }));
  const balances = lines.map((one) => ({ series: one.series, kind: 'line' as const, points: one.balances }));
  return (
    <section class="card card-tight">
      <Chart
        label={t('variantChartText')}
        currency={currency}
        legend={lines.map(({ series }) => series)}
        panels={[
          { ...panel, title: t('payments'), shapes: steps },
          { ...panel, title: t('balance'), shapes: balances },
        ]}
        range={[first, last]}
        dates={(most) =>
          scaleUtc([first, last], [0, 1])
            .ticks(Math.ceil(most * 0.7))
            .map((day) => [Number(day), dayText(day)])
        }
      />
    </section>
  );
}

const dueOf = ({ DueDate }: ShownRow): number => dayMs(DueDate);

/** The step of a payment ends on its due date. Extra payments would dwarf the steps, so only the balance shows them. */
function pointsOf({ rows, terms }: ShownSchedule) {
  const first = rows[0] === undefined ? 0 : dueOf(rows[0]);
  const activated = dayMs(String(terms['ActivationDate']));
  // At least a day before the first row, so that a loan with a single payment on its first day has a line too.
  const start = Math.min(Number.isNaN(activated) ? first : activated, first - DAY_MS);
  const paid = rows
    .filter(({ isEarlyRepayment }) => isEarlyRepayment !== 'true')
    .map((row) => [dueOf(row), row.totalInstallment] as const);
  const balances = rows.map((row) => [dueOf(row), balanceAfter(row)] as const);
  return {
    start,
    paid: [[start, paid[0]?.[1] ?? 0] as const, ...paid],
    balances: [[start, rows[0]?.remainingValue ?? 0] as const, ...balances],
  };
}
