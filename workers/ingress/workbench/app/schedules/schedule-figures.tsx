import { useState } from 'preact/hooks';
import { Button, Dialog } from '../design/components.tsx';
import { formatAmount, formatDate, formatPercent, formatRate } from '../format.ts';
import { leadingPayment } from './leading-payment.ts';
import { exceptionText, paymentLabel } from './payment-text.ts';
import { RateProof } from './rate-proof.tsx';
import type { EffectiveRate } from './rate-terms.ts';
import { sumSchedule, type ShownSchedule } from './schedule.ts';
import { t } from './texts.ts';

const rate = (value: number | undefined): string => (value === undefined ? '–' : formatRate(value));

interface Explained {
  readonly label: string;
  readonly value: string;
  readonly text: string;
  /** What of an amount differs or is part of it. */
  readonly note?: string;
  readonly unit?: EffectiveRate | 'amount';
}

/** The totals of a schedule and its effective rates; each opens what it means. */
export function ScheduleFigures(props: {
  schedule: ShownSchedule;
  decimals: number;
  currency: string;
  /** The variant, if there are several. */
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
              {figure.unit === 'amount' && <span class="figure-note"> {currency}</span>}
              {(figure.note ?? '') !== '' && <div class="figure-note">{figure.note}</div>}
            </dd>
          </div>
        ))}
      </dl>
      {explained !== undefined && (
        <Dialog title={`${explained.label}: ${explained.value}`} onClose={() => setExplained(undefined)}>
          <p>{explained.text}</p>
          {(explained.unit === 'dae' || explained.unit === 'eir') && (
            <RateProof rate={explained.unit} schedule={schedule} decimals={decimals} />
          )}
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
    ...amounts.map(([label, value, text, note]) => ({ label, value, text, note, unit: 'amount' as const })),
    { label: t('dae'), value: rate(dae), text: t('explainDae'), unit: 'dae' },
    {
      label: t('eir'),
      value: rate(eir),
      text: `${t('explainEir')} ${byDays ? t('explainByDays') : ''}`,
      note: byDays ? t('byDays') : '',
      unit: 'eir',
    },
    { label: t('lastDue'), value: formatDate(totals.lastDueDate), text: t('explainLast', shown) },
  ];
}

/** The most important figures with their labels, which a screen reader says after each change. */
export function shortFigures(schedule: ShownSchedule, decimals: number) {
  const payment = leadingPayment(schedule.rows);
  return [
    [paymentLabel(payment), formatAmount(payment.amount, decimals)],
    [t('totalPaid'), formatAmount(sumSchedule(schedule).total, decimals)],
    ['DAE', schedule.dae === undefined ? '–' : formatPercent(schedule.dae)],
  ] as const;
}

/** The most important figures, which stay in sight on a narrow screen while the form is filled in. */
export function ShortFigures(props: {
  figures: readonly (readonly [label: string, value: string])[];
  /** Why the figures are not those of the form; empty if they are. */
  mark: string;
  onShow: () => void;
}) {
  const { figures, mark, onShow } = props;
  return (
    <div class={mark === '' ? 'schedules-short no-print' : 'schedules-short schedules-outdated no-print'}>
      {mark !== '' && <p class="small">{mark}</p>}
      <dl>
        {figures.map(([label, value]) => (
          <div key={label}>
            <dt class="soft">{label}</dt>
            <dd class="figures strong">{value}</dd>
          </div>
        ))}
      </dl>
      <Button small onClick={onShow}>
        <span aria-hidden="true">↓</span>
        <span class="visually-hidden">{t('toResult')}</span>
      </Button>
    </div>
  );
}
