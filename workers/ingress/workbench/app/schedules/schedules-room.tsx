import { useEffect, useState } from 'preact/hooks';
import { asProblem, Button, CopyButton, Failure, Loading, Notice, RoomHead } from '../design/components.tsx';
import { formatAmount, formatDate, formatNumber, formatPercent } from '../format.ts';
import { BASE_PATH } from '../page-settings.ts';
import { asCurl, asJson, asKafkaMessage } from './call-texts.ts';
import {
  exampleLoan,
  loanTerms,
  MAX_VARIANTS,
  placeFaults,
  readLoans,
  writeLoans,
  type Loan,
} from './loan.ts';
import { LoanForm } from './loan-form.tsx';
import { LOAN_FIELDS, type LoanField } from './loan-fields.ts';
import { ScheduleChart } from './schedule-chart.tsx';
import { ScheduleTable } from './schedule-table.tsx';
import { decimalsOfCurrency, sumRows, toCsv, type ShownSchedule } from './schedule.ts';
import { choiceText, fieldText, t } from './texts.ts';
import { useSchedule, type LiveSchedule } from './use-schedule.ts';
import { VariantTable, variantName } from './variant-table.tsx';

/** The time between a change and the new address: browsers limit how often it may change. */
const ADDRESS_MS = 300;

/** A loan, its schedule while it is entered, and up to three variants of it. The address contains all of them. */
export function SchedulesRoom() {
  const [loans, setLoans] = useState<readonly Loan[]>(() => {
    const linked = readLoans(location.search);
    return linked.length > 0 ? linked : [exampleLoan(today())];
  });
  const [selected, setSelected] = useState(0);
  const at = Math.min(selected, loans.length - 1);
  const loan = loans[at] ?? exampleLoan(today());
  const lives = [useSchedule(loans[0]), useSchedule(loans[1]), useSchedule(loans[2])];
  const live = lives[at];
  useEffect(() => {
    const timer = setTimeout(() => history.replaceState(history.state, '', writeLoans(loans)), ADDRESS_MS);
    return () => clearTimeout(timer);
  }, [loans]);
  const problem = live?.error === undefined ? undefined : asProblem(live.error);
  const { byField, others } = placeFaults(problem?.errors ?? [], loan);
  const change = (changed: Loan): void =>
    setLoans((former) => former.map((one, index) => (index === at ? changed : one)));
  const decimals = decimalsOfCurrency(loan.fields.Currency ?? '');
  return (
    <>
      <RoomHead title={t('title')} lead={t('lead')}>
        <Export live={live} decimals={decimals} />
        <CopyButton label={t('share')} text={() => location.origin + location.pathname + writeLoans(loans)} />
      </RoomHead>
      <div class="schedules">
        <div class="stack schedules-form">
          <Variants loans={loans} at={at} onSelect={setSelected} onChange={setLoans} />
          <LoanForm key={at} loan={loan} onChange={change} faults={byField} />
        </div>
        <div class="stack" aria-busy={live?.isCalculating}>
          <OfferTerms loan={loan} />
          {problem !== undefined && live !== undefined && (
            <Problems live={live} others={others} hasPlaced={Object.keys(byField).length > 0} />
          )}
          {live?.schedule === undefined ? (
            problem === undefined && <Loading label={t('calculating')} />
          ) : (
            <Result
              schedule={live.schedule}
              schedules={lives.slice(0, loans.length).map((one) => one.schedule)}
              loan={loan}
              isOutdated={problem !== undefined}
            />
          )}
        </div>
      </div>
    </>
  );
}

/** A schedule: its totals, chart and rows, the comparison with the other variants, and the call that calculates it. */
function Result(props: {
  schedule: ShownSchedule;
  schedules: readonly (ShownSchedule | undefined)[];
  loan: Loan;
  isOutdated: boolean;
}) {
  const { schedule, schedules, loan, isOutdated } = props;
  const decimals = decimalsOfCurrency(loan.fields.Currency ?? '');
  const terms = loanTerms(loan);
  return (
    <div class={isOutdated ? 'stack schedules-outdated' : 'stack'}>
      <Figures schedule={schedule} decimals={decimals} />
      {schedule.ignored.length > 0 && (
        <Notice tone="warn">{t('ignored', { fields: schedule.ignored.map(nameOf).join(', ') })}</Notice>
      )}
      <section class="card card-tight">
        <ScheduleChart rows={schedule.rows} decimals={decimals} />
      </section>
      {schedules.length > 1 && <VariantTable schedules={schedules} decimals={decimals} />}
      <div class="row-between">
        <h2>{t('table')}</h2>
        <span class="small soft no-print">{t('explainHint')}</span>
      </div>
      <ScheduleTable rows={schedule.rows} decimals={decimals} />
      <div class="row no-print">
        <CopyButton label={t('copyCurl')} text={() => asCurl(location.origin + BASE_PATH, terms)} />
        <CopyButton label={t('copyJson')} text={() => asJson(terms)} />
        <CopyButton label={t('copyKafka')} text={() => asKafkaMessage(terms)} />
      </div>
    </div>
  );
}

function Variants(props: {
  loans: readonly Loan[];
  at: number;
  onSelect: (at: number) => void;
  onChange: (loans: readonly Loan[]) => void;
}) {
  const { loans, at, onSelect, onChange } = props;
  return (
    <div class="row no-print" role="group" aria-label={t('variants')}>
      {loans.length > 1 &&
        loans.map((_, index) => (
          <Button
            key={index}
            small
            kind={index === at ? 'primary' : 'normal'}
            aria-pressed={index === at}
            onClick={() => onSelect(index)}
          >
            {t('variant', { name: variantName(index) })}
          </Button>
        ))}
      {loans.length < MAX_VARIANTS && (
        <Button
          small
          onClick={() => {
            const copied = loans[at];
            if (copied !== undefined) onChange([...loans, copied]);
            onSelect(loans.length);
          }}
        >
          {t('addVariant')}
        </Button>
      )}
      {loans.length > 1 && at > 0 && (
        <Button
          small
          kind="quiet"
          onClick={() => {
            onChange(loans.filter((_, index) => index !== at));
            onSelect(at - 1);
          }}
        >
          {t('removeVariant', { name: variantName(at) })}
        </Button>
      )}
    </div>
  );
}

/** Both need the figures of the loan as it is now. */
function Export({ live, decimals }: { live: LiveSchedule | undefined; decimals: number }) {
  const rows = live?.schedule?.rows;
  const disabled = rows === undefined || live?.isCalculating === true || live?.error !== undefined;
  return (
    <>
      <Button small disabled={disabled} onClick={() => rows !== undefined && saveCsv(toCsv(rows, decimals))}>
        {t('csv')}
      </Button>
      <Button small disabled={disabled} onClick={() => print()}>
        {t('print')}
      </Button>
    </>
  );
}

/** Faults that the form cannot show at a field, or the failure of the call. */
function Problems(props: { live: LiveSchedule; others: readonly string[]; hasPlaced: boolean }) {
  const { live, others, hasPlaced } = props;
  if (!hasPlaced && others.length === 0) return <Failure error={live.error} onRetry={live.retry} />;
  return (
    <Notice tone="bad">
      <strong>{t('correct')}</strong>
      {others.length > 0 && (
        <ul>
          {others.map((text) => (
            <li key={text}>{text}</li>
          ))}
        </ul>
      )}
      {live.schedule !== undefined && <p>{t('outdated')}</p>}
    </Notice>
  );
}

function Figures({ schedule, decimals }: { schedule: ShownSchedule; decimals: number }) {
  const totals = sumRows(schedule.rows);
  const figures = [
    [t('firstPayment'), formatAmount(totals.first, decimals)],
    [t('totalInterest'), formatAmount(totals.interest, decimals)],
    [t('totalCharges'), formatAmount(totals.charges, decimals)],
    [t('totalPaid'), formatAmount(totals.total, decimals)],
    [t('dae'), schedule.dae === undefined ? '–' : formatPercent(schedule.dae, 4)],
    [t('eir'), schedule.eir === undefined ? '–' : formatPercent(schedule.eir, 4)],
    [t('lastDue'), formatDate(totals.lastDueDate)],
  ] as const;
  return (
    <section class="card card-tight">
      <dl class="figure-list">
        {figures.map(([label, value]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

/** The head of a printed offer, which has no form. */
function OfferTerms({ loan }: { loan: Loan }) {
  const decimals = decimalsOfCurrency(loan.fields.Currency ?? '');
  return (
    <section class="offer-terms">
      <h2>{t('offer')}</h2>
      <dl class="definition-list">
        {LOAN_FIELDS.map(({ name, kind }) => {
          const value = loan.fields[name] ?? '';
          if (value === '') return null;
          return (
            <div key={name} class="offer-term">
              <dt>{fieldText(name)}</dt>
              <dd>{shownValue(value, kind, decimals)}</dd>
            </div>
          );
        })}
        {[...loan.commissions, ...loan.insurances].map((charge, index) => (
          <div key={index} class="offer-term">
            <dt>{charge.name}</dt>
            <dd>
              {shownValue(charge.amount, charge.unit === 'value' ? 'amount' : 'percent', decimals)},{' '}
              {choiceText(charge.periodicity)}
            </dd>
          </div>
        ))}
        {loan.extraPayments.map((payment, index) => (
          <div key={index} class="offer-term">
            <dt>{t('extra', { number: index + 1 })}</dt>
            <dd>
              {shownValue(payment.amount, 'amount', decimals)}, {formatDate(payment.date)}
            </dd>
          </div>
        ))}
      </dl>
      <p class="small">{t('offerNote')}</p>
    </section>
  );
}

/** A value of the form for reading; what is not a number stays as entered. */
function shownValue(value: string, kind: LoanField['kind'], decimals: number): string {
  if (kind === 'date') return formatDate(value);
  if (kind === 'choice') return choiceText(value);
  if (kind === 'flag') return '✓';
  const number = Number(value.replace(',', '.'));
  if (kind === 'text' || Number.isNaN(number)) return value;
  if (kind === 'percent') return formatPercent(number, 6);
  return kind === 'amount' ? formatAmount(number, decimals) : formatNumber(number);
}

function nameOf(field: string): string {
  const known = LOAN_FIELDS.find(({ name }) => name === field);
  return known === undefined ? field : fieldText(known.name);
}

function saveCsv(text: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text], { type: 'text/csv' }));
  link.download = 'schedule.csv';
  link.click();
  URL.revokeObjectURL(link.href);
}

const twoDigits = (value: number): string => String(value).padStart(2, '0');

/** The date of this device. */
function today(): string {
  const now = new Date();
  return `${now.getFullYear()}-${twoDigits(now.getMonth() + 1)}-${twoDigits(now.getDate())}`;
}
