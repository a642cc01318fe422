import { Chart, type Scale } from '../charts/chart.tsx';
import { DAY_MS, dayMs, timelineTicks, timeScale } from '../charts/time-axis.ts';
import { balanceAfter, type ShownRow, type ShownSchedule } from './schedule.ts';
import { t } from './texts.ts';
import { variantName } from './variant-table.tsx';

/** Told apart without their colours too, in the order of the variants. */
const DASHES = ['', '7 4', '2 3'];
const PANEL = { height: 130, ticks: 3 };

interface VariantChartProps {
  /** Undefined: it cannot be calculated. */
  readonly schedules: readonly (ShownSchedule | undefined)[];
  readonly currency: string;
}

/** The payments and the balances of the variants over time, a line each. */
export function VariantChart({ schedules, currency }: VariantChartProps) {
  const lines = schedules.flatMap((schedule, index) =>
    schedule === undefined || schedule.rows.length === 0 ? [] : [{ index, ...lineOf(schedule) }],
  );
  const first = Math.min(...lines.map(({ days }) => days[0] ?? 0));
  const last = Math.max(...lines.map(({ days }) => days.at(-1) ?? 0));
  return (
    <Chart
      label={t('variantChartText')}
      currency={currency}
      legend={lines.map(({ index }) => [
        <svg width="28" height="8" aria-hidden="true" class="variant-line">
          <path d="M0,4H28" stroke={colourOf(index)} stroke-dasharray={DASHES[index]} />
        </svg>,
        t('variant', { name: variantName(index) }),
      ])}
      panels={[
        { ...PANEL, title: t('payments'), amounts: lines.flatMap(({ paid }) => paid) },
        { ...PANEL, title: t('balance'), amounts: lines.flatMap(({ balances }) => balances) },
      ]}
      range={[first, last]}
      dates={(room) => timelineTicks(timeScale(first, last), room).map(({ day }) => [dayMs(day), day])}
    >
      {(x, [payments = x, balance = x]) =>
        lines.map(({ index, days, paidOn, paid, balances }) => (
          <g key={index} class="variant-line" stroke={colourOf(index)} stroke-dasharray={DASHES[index]}>
            <path d={stepsOf(paidOn, paid, x, payments)} />
            <path d={`M${balances.map((value, at) => point(x(days[at] ?? 0), balance(value))).join('L')}`} />
          </g>
        ))
      }
    </Chart>
  );
}

const colourOf = (index: number): string => `var(--series-${index + 1})`;
const point = (left: number, top: number): string => `${left.toFixed(1)},${top.toFixed(1)}`;
const dayOf = ({ DueDate }: ShownRow): number => dayMs(DueDate);

function lineOf({ rows, terms }: ShownSchedule) {
  const due = rows.map(dayOf);
  const first = due[0] ?? 0;
  const start = dayMs(String(terms['ActivationDate']));
  // An extra payment is a fall of the balance; beside it the others could not be told apart.
  const regular = rows.filter(({ isEarlyRepayment }) => isEarlyRepayment !== 'true');
  // A loan that is due on the day of its start has a line nevertheless.
  const from = Math.min(Number.isNaN(start) ? first : start, first - DAY_MS);
  return {
    days: [from, ...due],
    paidOn: [from, ...regular.map(dayOf)],
    paid: regular.map(({ totalInstallment }) => totalInstallment),
    balances: [rows[0]?.remainingValue ?? 0, ...rows.map(balanceAfter)],
  };
}

/** A level for each period, up to its due date. */
function stepsOf(days: readonly number[], paid: readonly number[], x: Scale, y: Scale): string {
  const steps = paid.map((amount, at) => `V${y(amount).toFixed(1)}H${x(days[at + 1] ?? 0).toFixed(1)}`);
  return `M${point(x(days[0] ?? 0), y(paid[0] ?? 0))}${steps.join('')}`;
}
