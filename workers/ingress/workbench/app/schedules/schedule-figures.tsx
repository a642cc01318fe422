import { useState } from 'preact/hooks';
import { Dialog } from '../design/components.tsx';
import { formatAmount, formatDate, formatPercent, formatRate } from '../format.ts';
import { leadingPayment, exceptionText, paymentLabel } from './leading-payment.ts';
import { sumSchedule, type ShownSchedule } from './schedule.ts';
import { schedulesText as t } from '../texts.ts';

const rateText = (value: number | undefined): string => (value === undefined ? '–' : formatRate(value));

interface Explained {
  readonly label: string;
  readonly value: string;
  readonly text: string;
  readonly note?: string;
  readonly isAmount?: boolean;
}

export function ScheduleFigures(props: {
  schedule: ShownSchedule;
  decimals: number;
  currency: string;
  title: string | undefined;
}) {
  const { schedule, decimals, currency, title } = props;
  const [explained, setExplained] = useState<Explained>();
  const figures = listFigures(schedule, decimals);
  return (
    <section class="card card-tight">
      {title !== undefined && <h2 class="schedule-variant no-print">{title}</h2>}
      <dl class="figure-list schedule-figures">
        {figures.map((figure) => (
          <div key={figure.label}>
            <dt>{figure.label}</dt>
            <dd>
              <button
                type="button"
                class="figure-button"
                aria-label={`${figure.label}: ${figure.value}`}
                aria-haspopup="dialog"
                onClick={() => setExplained(figure)}
              >
                {figure.value}
              </button>
              {figure.isAmount === true && <span class="figure-note"> {currency}</span>}
              {(figure.note ?? '') !== '' && <div class="figure-note">{figure.note}</div>}
            </dd>
          </div>
        ))}
      </dl>
      {explained !== undefined && (
        <Dialog title={`${explained.label}: ${explained.value}`} onClose={() => setExplained(undefined)}>
          <p>{explained.text}</p>
        </Dialog>
      )}
    </section>
  );
}

function listFigures(schedule: ShownSchedule, decimals: number): readonly Explained[] {
  const { rows, dae, eir } = schedule;
  const totals = sumSchedule(schedule);
  const payment = leadingPayment(rows);
  const amount = (value: number): string => formatAmount(value, decimals);
  const shown = {
    count: totals.rows,
    principal: amount(totals.principal),
    interest: amount(totals.interest),
    charges: amount(totals.charges),
    total: amount(totals.total),
    atStart: amount(totals.atStart),
  };
  const atStart = totals.atStart === 0 ? '' : t('ofWhichAtStart', shown);
  // Without insurances both rates count the same payments, and differ in how they count time (A1, A2).
  const byDays = dae !== eir && rows.every(({ insurance = 0 }) => insurance === 0);
  const amounts = [
    [paymentLabel(payment), amount(payment.amount), t('explainPayment'), exceptionText(payment, amount)],
    [t('totalInterest'), shown.interest, t('explainInterest', shown), ''],
    [t('totalCharges'), shown.charges, t('explainCharges', shown), atStart],
    [t('totalPaid'), shown.total, t('explainTotal', shown), atStart],
  ] as const;
  return [
    ...amounts.map(([label, value, text, note]) => ({ label, value, text, note, isAmount: true })),
    { label: t('dae'), value: rateText(dae), text: t('explainDae') },
    {
      label: t('eir'),
      value: rateText(eir),
      text: `${t('explainEir')} ${byDays ? t('explainByDays') : ''}`,
      note: byDays ? t('byDays') : '',
    },
    { label: t('lastDue'), value: formatDate(totals.lastDueDate), text: t('explainLast', shown) },
  ];
}

/** The most important figures with their labels, which a screen reader says after each change. */
export function shortFigures(schedule: ShownSchedule, decimals: number): string {
  const payment = leadingPayment(schedule.rows);
  const [paid, total] = [payment.amount, sumSchedule(schedule).total].map((one) =>
    formatAmount(one, decimals),
  );
  const dae = schedule.dae === undefined ? '–' : formatPercent(schedule.dae);
  return `${paymentLabel(payment)} ${paid}, ${t('totalPaid')} ${total}, DAE ${dae}`;
}
