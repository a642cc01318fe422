import { useState } from 'preact/hooks';
import { Button, Dialog } from '../design/components.tsx';
import { formatAmount, formatDate, formatPercent, formatRate } from '../format.ts';
import { RateProof } from './rate-proof.tsx';
import type { EffectiveRate } from './rate-terms.ts';
import { sumRows, type ShownSchedule } from './schedule.ts';
import { t } from './texts.ts';

const rate = (value: number | undefined): string => (value === undefined ? '–' : formatRate(value));

type Explained = readonly [label: string, value: string, text: string, unit?: EffectiveRate | 'amount'];

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
          <div key={figure[0]}>
            <dt>{figure[0]}</dt>
            <dd>
              <button
                type="button"
                class="figure-button"
                aria-label={`${figure[0]}: ${figure[1]}`}
                aria-haspopup="dialog"
                onClick={() => setExplained(figure)}
              >
                {figure[1]}
              </button>
              {figure[3] === 'amount' && <span class="figure-unit"> {currency}</span>}
            </dd>
          </div>
        ))}
      </dl>
      {explained !== undefined && (
        <Dialog title={`${explained[0]}: ${explained[1]}`} onClose={() => setExplained(undefined)}>
          <p>{explained[2]}</p>
          {(explained[3] === 'dae' || explained[3] === 'eir') && (
            <RateProof rate={explained[3]} schedule={schedule} decimals={decimals} />
          )}
        </Dialog>
      )}
    </section>
  );
}

function listFigures(schedule: ShownSchedule, decimals: number): readonly Explained[] {
  const totals = sumRows(schedule.rows);
  const amount = (value: number): string => formatAmount(value, decimals);
  const shown = {
    count: totals.rows,
    principal: amount(totals.principal),
    interest: amount(totals.interest),
    charges: amount(totals.charges),
    total: amount(totals.total),
  };
  return [
    [t('firstPayment'), amount(totals.first), t('explainFirst'), 'amount'],
    [t('totalInterest'), shown.interest, t('explainInterest', shown), 'amount'],
    [t('totalCharges'), shown.charges, t('explainCharges', shown), 'amount'],
    [t('totalPaid'), shown.total, t('explainTotal', shown), 'amount'],
    [t('dae'), rate(schedule.dae), t('explainDae'), 'dae'],
    [t('eir'), rate(schedule.eir), t('explainEir'), 'eir'],
    [t('lastDue'), formatDate(totals.lastDueDate), t('explainLast', shown)],
  ];
}

/** The most important figures with their labels, which a screen reader says after each change. */
export function shortFigures(schedule: ShownSchedule, decimals: number) {
  const { first, total } = sumRows(schedule.rows);
  return [
    [t('firstPayment'), formatAmount(first, decimals)],
    [t('totalPaid'), formatAmount(total, decimals)],
    ['DAE', schedule.dae === undefined ? '–' : formatPercent(schedule.dae)],
  ] as const;
}

/** The most important figures, which stay in sight on a narrow screen while the form is filled in. */
export function ShortFigures(props: { schedule: ShownSchedule; decimals: number; onShow: () => void }) {
  const { schedule, decimals, onShow } = props;
  return (
    <div class="schedules-short no-print">
      <dl>
        {shortFigures(schedule, decimals).map(([label, value]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{value}</dd>
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
