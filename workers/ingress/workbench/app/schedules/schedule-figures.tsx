import { useState } from 'preact/hooks';
import { Dialog } from '../design/components.tsx';
import { formatAmount, formatDate, formatPercent, formatRate } from '../format.ts';
import { leadingPayment, exceptionText, paymentLabel } from './leading-payment.ts';
import { sumSchedule, type ShownSchedule } from './schedule.ts';
import { schedulesText as t } from '../texts.ts';

const rateText = (value: number | undefined): string => (value === undefined ? '–' : formatRate(value));

type Figure = readonly [label: string, value: string, text: string, note?: string, unit?: string];

export function ScheduleFigures(props: {
  schedule: ShownSchedule;
  decimals: number;
  currency: string;
  title: string | undefined;
}) {
  const { schedule, decimals, currency, title } = props;
  const [explained, setExplained] = useState<Figure>();
  const [explainedLabel, explainedValue, explanation] = explained ?? [];
  return (
    <section class="card card-tight">
      {title !== undefined && <h2 class="schedule-variant no-print">{title}</h2>}
      <dl class="figure-list schedule-figures">
        {listFigures(schedule, decimals, currency).map((figure) => {
          const [label, value, , note = '', unit] = figure;
          return (
            <div key={label}>
              <dt>{label}</dt>
              <dd>
                <button
                  type="button"
                  class="figure-button"
                  aria-label={`${label}: ${value}`}
                  aria-haspopup="dialog"
                  onClick={() => setExplained(figure)}
                >
                  {value}
                </button>
                {unit !== undefined && <span class="figure-note"> {unit}</span>}
                {note !== '' && <div class="figure-note">{note}</div>}
              </dd>
            </div>
          );
        })}
      </dl>
      {explained !== undefined && (
        <Dialog title={`${explainedLabel}: ${explainedValue}`} onClose={() => setExplained(undefined)}>
          <p>{explanation}</p>
        </Dialog>
      )}
    </section>
  );
}

function listFigures(schedule: ShownSchedule, decimals: number, currency: string): readonly Figure[] {
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
  // Without insurances, DAE and EIR count the same payments and differ only in how they count time (A1, A2).
  const byDays = dae !== eir && rows.every(({ insurance = 0 }) => insurance === 0);
  const exceptions = exceptionText(payment, amount);
  const eirText = `${t('explainEir')} ${byDays ? t('explainByDays') : ''}`;
  return [
    [paymentLabel(payment), amount(payment.amount), t('explainPayment'), exceptions, currency],
    [t('totalInterest'), shown.interest, t('explainInterest', shown), '', currency],
    [t('totalCharges'), shown.charges, t('explainCharges', shown), atStart, currency],
    [t('totalPaid'), shown.total, t('explainTotal', shown), atStart, currency],
    [t('dae'), rateText(dae), t('explainDae')],
    [t('eir'), rateText(eir), eirText, byDays ? t('byDays') : ''],
    [t('lastDue'), formatDate(totals.lastDueDate), t('explainLast', shown)],
  ];
}

/** The main figures with their labels, which a screen reader announces after each change. */
export function shortFigures(schedule: ShownSchedule, decimals: number): string {
  const payment = leadingPayment(schedule.rows);
  const [paid, total] = [payment.amount, sumSchedule(schedule).total].map((one) =>
    formatAmount(one, decimals),
  );
  const dae = schedule.dae === undefined ? '–' : formatPercent(schedule.dae);
  return `${paymentLabel(payment)} ${paid}, ${t('totalPaid')} ${total}, DAE ${dae}`;
}
