import { useState } from 'preact/hooks';
import { Button, Dialog, Failure, Loading, TableFrame } from '../design/components.tsx';
import { useLoaded } from '../design/use-loaded.ts';
import { formatAmount, formatDate, formatNumber } from '../format.ts';
import {
  chargesOf,
  exactSum,
  explanationsOf,
  ownAmount,
  ownColumns,
  sumSchedule,
  type ScheduleTotals,
  type ShownExplanation,
  type ShownRow,
  type ShownSchedule,
} from './schedule.ts';
import { t } from './texts.ts';
import { loadExplained } from './use-schedule.ts';

/** The columns of amounts: their text, their figure, and the figures that explain them. */
const COLUMNS = [
  { key: 'principal', figures: ['principal'], value: (row: ShownRow) => row.principal },
  { key: 'interest', figures: ['interest', 'capitalisedInterest'], value: (row: ShownRow) => row.interest },
  { key: 'charges', figures: ['managementFee', 'insurance'], value: chargesOf },
  { key: 'total', figures: ['totalInstallment'], value: (row: ShownRow) => row.totalInstallment },
  { key: 'balanceBefore', figures: ['remainingValue'], value: (row: ShownRow) => row.remainingValue },
] as const;
const FIRST_ROWS = 24;

interface Explained {
  /** The position of the row. */
  readonly at: number;
  /** Without any, all of the row. */
  readonly figures: readonly string[];
  /** The column of the schedule type. */
  readonly name?: string;
}

/** All rows. A figure opens its explanation by mouse or touch, the number of its row by keyboard too. */
export function ScheduleTable({ schedule, decimals }: { schedule: ShownSchedule; decimals: number }) {
  const { rows } = schedule;
  const totals = sumSchedule(schedule);
  const [explained, setExplained] = useState<Explained>();
  const [isWhole, setWhole] = useState(false);
  const shown = isWhole ? rows.length : FIRST_ROWS;
  const own = ownColumns(rows);
  const ownOf = (name: string): number => exactSum(rows.map((row) => ownAmount(row, name)));
  const start = { charges: totals.atStart, total: totals.atStart };
  return (
    <>
      <TableFrame label={t('table')}>
        <table class="table schedule-table">
          <Head own={own} />
          <tbody>
            {totals.atStart !== 0 && <Amounts title={t('atStart')} of={start} {...{ own, decimals }} />}
            {rows.map((row, index) => (
              <Row
                key={index}
                at={index}
                row={row}
                decimals={decimals}
                own={own}
                isHidden={index >= shown}
                onExplain={setExplained}
              />
            ))}
          </tbody>
          <tfoot>
            <Amounts title={t('sum')} of={totals} {...{ own, ownOf, decimals }} />
          </tfoot>
        </table>
      </TableFrame>
      {rows.length > FIRST_ROWS && (
        <div class="no-print">
          <Button small onClick={() => setWhole(!isWhole)} aria-expanded={isWhole}>
            {isWhole ? t('showFew', { count: FIRST_ROWS }) : t('showAll', { count: rows.length })}
          </Button>
        </div>
      )}
      {explained !== undefined && (
        <Dialog
          title={t('explain', { number: rows[explained.at]?.InstallmentNo ?? '' })}
          onClose={() => setExplained(undefined)}
        >
          <Explanations {...explained} schedule={schedule} decimals={decimals} />
        </Dialog>
      )}
    </>
  );
}

function Head({ own }: { own: readonly string[] }) {
  return (
    <thead>
      <tr>
        <th scope="col">{t('installment')}</th>
        <th scope="col">{t('due')}</th>
        <th scope="col" class="number">
          {t('days')}
        </th>
        {COLUMNS.map(({ key }) => (
          <th key={key} scope="col" class="number">
            {t(key)}
          </th>
        ))}
        {own.map((name) => (
          <th key={name} scope="col" class="number">
            {name}
          </th>
        ))}
      </tr>
    </thead>
  );
}

function Row(props: {
  at: number;
  row: ShownRow;
  decimals: number;
  /** Columns of the schedule type. */
  own: readonly string[];
  /** Shown in print only. */
  isHidden: boolean;
  onExplain: (explained: Explained) => void;
}) {
  const { at, row, decimals, own, isHidden, onExplain } = props;
  return (
    <tr class={isHidden ? 'print-only-row' : undefined}>
      <th scope="row">
        <button
          type="button"
          class="figure-button"
          aria-label={t('explainRow', { number: row.InstallmentNo })}
          onClick={() => onExplain({ at, figures: [] })}
        >
          {row.InstallmentNo}
        </button>
        {row.isEarlyRepayment === 'true' && <span class="small soft"> {t('extraRow')}</span>}
      </th>
      <td class="figures nowrap">{formatDate(row.DueDate)}</td>
      <td class="number">{formatNumber(row.NoDays)}</td>
      {COLUMNS.map(({ key, figures, value }) => (
        <Figure
          key={key}
          text={formatAmount(value(row), decimals)}
          onClick={() => onExplain({ at, figures })}
        />
      ))}
      {own.map((name) => (
        <Figure
          key={name}
          text={formatAmount(ownAmount(row, name), decimals)}
          onClick={() => onExplain({ at, figures: ['column'], name })}
        />
      ))}
    </tr>
  );
}

/** By keyboard the number of the row explains all of its figures. */
function Figure({ text, onClick }: { text: string; onClick: () => void }) {
  return (
    <td class="number">
      <button type="button" class="figure-button" tabIndex={-1} onClick={onClick}>
        {text}
      </button>
    </td>
  );
}

/** Amounts that belong to no instalment: those of the start, and the sums. */
function Amounts(props: {
  title: string;
  of: Partial<Pick<ScheduleTotals, 'principal' | 'interest' | 'charges' | 'total'>>;
  own: readonly string[];
  ownOf?: (name: string) => number;
  decimals: number;
}) {
  const { title, of, own, ownOf, decimals } = props;
  const text = (amount: number | undefined) => (amount === undefined ? '' : formatAmount(amount, decimals));
  return (
    <tr>
      <th scope="row" colSpan={3}>
        {title}
      </th>
      {(['principal', 'interest', 'charges', 'total'] as const).map((key) => (
        <td key={key} class="number">
          {text(of[key])}
        </td>
      ))}
      <td />
      {own.map((name) => (
        <td key={name} class="number">
          {text(ownOf?.(name))}
        </td>
      ))}
    </tr>
  );
}

/** The explanations of some figures of a row, or of all. */
function Explanations(props: Explained & { schedule: ShownSchedule; decimals: number }) {
  const { at, figures, name, schedule, decimals } = props;
  const [loaded, retry] = useLoaded((signal) => loadExplained(schedule, signal), [schedule]);
  if (loaded.state === 'loading') return <Loading />;
  if (loaded.state === 'failed') return <Failure error={loaded.error} onRetry={retry} />;
  const row = loaded.value[at];
  if (row === undefined) return null;
  const chosen = figures.flatMap((figure) => explanationsOf(row, figure, name));
  const shown: readonly ShownExplanation[] = chosen.length > 0 ? chosen : (row.explanation ?? []);
  return (
    <dl class="explanations">
      {shown.map((one, index) => (
        <div key={index}>
          <dt>
            <span>
              {labelOf(one.figure)}
              {one.name !== undefined && <span class="soft">: {one.name}</span>}
            </span>
            <span class="figures">{formatAmount(one.amount, decimals)}</span>
          </dt>
          <dd>
            {one.formula !== undefined && <code>{one.formula}</code>}
            {one.dayCount !== undefined && <span class="small soft">{one.dayCount}</span>}
          </dd>
        </div>
      ))}
    </dl>
  );
}

function labelOf(figure: string): string {
  const labels: Readonly<Record<string, string>> = {
    remainingValue: t('balanceBefore'),
    principal: t('principal'),
    interest: t('interest'),
    capitalisedInterest: t('capitalised'),
    payment: t('levelPayment'),
    pMT: t('payment'),
    managementFee: t('commission'),
    insurance: t('insurance'),
    totalInstallment: t('total'),
    column: t('column'),
  };
  return labels[figure] ?? figure;
}
