import { scaleLinear } from 'd3-scale';
import { Grid, PLOT_LEFT, PLOT_RIGHT, useWidth, withCurrency } from '../charts/plot.tsx';
import { dayNumber, timelineTicks, type Domain } from '../charts/time-axis.ts';
import { formatDate } from '../format.ts';
import { balanceAfter, type ShownRow, type ShownSchedule } from './schedule.ts';
import { t } from './texts.ts';
import { variantName } from './variant-table.tsx';

const PAYMENTS = { top: 26, height: 130 };
const BALANCE = { top: 208, height: 130 };
const HEIGHT = 370;
const TICK_WIDTH = 100;
/** Told apart without their colours too, in the order of the variants. */
const DASHES = ['', '7 4', '2 3'];

interface VariantChartProps {
  /** Undefined: it cannot be calculated. */
  readonly schedules: readonly (ShownSchedule | undefined)[];
  readonly currency: string;
}

/** The payments and the balances of the variants over time, a line each. The comparison has their figures for those who do not see it. */
export function VariantChart({ schedules, currency }: VariantChartProps) {
  const [frame, width] = useWidth();
  const lines = schedules.flatMap((schedule, index) =>
    schedule === undefined || schedule.rows.length === 0 ? [] : [{ index, ...lineOf(schedule) }],
  );
  const domain: Domain = {
    first: Math.min(...lines.map(({ days }) => days[0] ?? 0)),
    last: Math.max(...lines.map(({ days }) => days.at(-1) ?? 0)),
  };
  const x = scaleLinear([domain.first, domain.last], [PLOT_LEFT, width - PLOT_RIGHT]);
  const payments = scaleOf(
    PAYMENTS,
    3,
    lines.map(({ highestPayment }) => highestPayment),
  );
  const balance = scaleOf(
    BALANCE,
    3,
    lines.map(({ highestBalance }) => highestBalance),
  );
  return (
    <figure class="schedule-chart">
      <Legend indexes={lines.map(({ index }) => index)} />
      <div ref={frame}>
        <svg class="chart" role="img" aria-label={t('variantChartText')} viewBox={`0 0 ${width} ${HEIGHT}`}>
          <Title top={PAYMENTS.top} text={withCurrency(t('payments'), currency)} />
          <Grid scale={payments} ticks={3} width={width} />
          <Title top={BALANCE.top} text={withCurrency(t('balance'), currency)} />
          <Grid scale={balance} ticks={3} width={width} />
          {lines.map(({ index, days, paidOn, paid, balances }) => (
            <g key={index} class="variant-line" stroke={colourOf(index)} stroke-dasharray={DASHES[index]}>
              <path d={stepsOf(paidOn, paid, x, payments)} />
              <path
                d={`M${balances.map((value, at) => point(x(days[at] ?? 0), balance(value))).join('L')}`}
              />
            </g>
          ))}
          <Days domain={domain} x={x} width={width} />
        </svg>
      </div>
    </figure>
  );
}

const colourOf = (index: number): string => `var(--series-${index + 1})`;
const point = (left: number, top: number): string => `${left.toFixed(1)},${top.toFixed(1)}`;

const dayOf = ({ DueDate }: ShownRow): number => dayNumber(DueDate.slice(0, 10));

function lineOf({ rows, terms }: ShownSchedule) {
  const due = rows.map(dayOf);
  const first = due[0] ?? 0;
  const start = dayNumber(String(terms['ActivationDate']).slice(0, 10));
  // An extra payment is a fall of the balance; beside it the others could not be told apart.
  const regular = rows.filter(({ isEarlyRepayment }) => isEarlyRepayment !== 'true');
  const paid = regular.map(({ totalInstallment }) => totalInstallment);
  const balances = [rows[0]?.remainingValue ?? 0, ...rows.map(balanceAfter)];
  // A loan that is due on the day of its start has a line nevertheless.
  const from = Math.min(Number.isNaN(start) ? first : start, first - 1);
  return {
    days: [from, ...due],
    paidOn: [from, ...regular.map(dayOf)],
    paid,
    balances,
    highestPayment: Math.max(...paid),
    highestBalance: Math.max(...balances),
  };
}

function scaleOf(place: { top: number; height: number }, ticks: number, highest: readonly number[]) {
  return scaleLinear([0, Math.max(1, ...highest)], [place.top + place.height, place.top]).nice(ticks);
}

type Scale = ReturnType<typeof scaleOf>;

/** A level for each period, up to its due date. */
function stepsOf(days: readonly number[], paid: readonly number[], x: Scale, y: Scale): string {
  const steps = paid.map((amount, at) => `V${y(amount).toFixed(1)}H${x(days[at + 1] ?? 0).toFixed(1)}`);
  return `M${point(x(days[0] ?? 0), y(paid[0] ?? 0))}${steps.join('')}`;
}

function Title({ top, text }: { top: number; text: string }) {
  return (
    <text x={PLOT_LEFT} y={top - 12} class="schedule-chart-title">
      {text}
    </text>
  );
}

function Legend({ indexes }: { indexes: readonly number[] }) {
  return (
    <ul class="chart-legend">
      {indexes.map((index) => (
        <li key={index}>
          <svg width="28" height="8" aria-hidden="true" class="variant-line">
            <path d="M0,4H28" stroke={colourOf(index)} stroke-dasharray={DASHES[index]} />
          </svg>
          {t('variant', { name: variantName(index) })}
        </li>
      ))}
    </ul>
  );
}

/** The first days of years or months, as many as have room. */
function Days({ domain, x, width }: { domain: Domain; x: Scale; width: number }) {
  return (
    <g>
      {timelineTicks(domain, Math.max(2, Math.floor((width - PLOT_LEFT) / TICK_WIDTH))).map(({ day }) => {
        const left = x(dayNumber(day));
        const isLast = left + TICK_WIDTH / 2 > width;
        return (
          <text key={day} x={left} y={HEIGHT - 12} text-anchor={isLast ? 'end' : 'middle'}>
            {formatDate(day)}
          </text>
        );
      })}
    </g>
  );
}
