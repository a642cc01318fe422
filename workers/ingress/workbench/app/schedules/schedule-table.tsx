import { useState } from 'preact/hooks';
import { Button, Dialog } from '../design/components.tsx';
import { useLoaded, WhenLoaded } from '../design/loaded.tsx';
import { Table, type Column } from '../design/table.tsx';
import { formatAmount, formatDate, formatNumber } from '../format.ts';
import {
  chargesOf,
  exactSum,
  ownAmount,
  ownColumns,
  sumSchedule,
  type ScheduleTotals,
  type ShownRow,
  type ShownSchedule,
} from './schedule.ts';
import { knownText, schedulesText as t } from '../texts.ts';
import { loadExplained } from './use-schedule.ts';

const COLUMNS = [
  ['principal', (row: ShownRow) => row.principal, ['principal']],
  ['interest', (row: ShownRow) => row.interest, ['interest', 'capitalisedInterest']],
  ['charges', chargesOf, ['managementFee', 'insurance']],
  ['total', (row: ShownRow) => row.totalInstallment, ['totalInstallment']],
  ['balanceBefore', (row: ShownRow) => row.remainingValue, ['remainingValue']],
] as const;
const FIRST_ROWS = 24;

interface Explained {
  readonly at: number;
  /** The figures to explain; an empty list means all figures of the row. */
  readonly figures: readonly string[];
  readonly name?: string | undefined;
}

/** Shows FIRST_ROWS rows at first, but prints all. A click on a figure or on the number of a row explains it. */
export function ScheduleTable({ schedule, decimals }: { schedule: ShownSchedule; decimals: number }) {
  const { rows } = schedule;
  const totals = sumSchedule(schedule);
  const [explained, explain] = useState<Explained>();
  const [isWhole, setWhole] = useState(false);
  const shown = isWhole ? rows.length : FIRST_ROWS;
  const own = ownColumns(rows);
  const ownOf = (name: string): number => exactSum(rows.map((row) => ownAmount(row, name)));
  const start = { charges: totals.atStart, total: totals.atStart };
  return (
    <>
      <Table
        label={t('table')}
        class="schedule-table"
        rows={rows}
        rowClass={(_, index) => (index >= shown ? 'print-only' : undefined)}
        first={totals.atStart !== 0 && <Amounts title={t('atStart')} of={start} {...{ own, decimals }} />}
        foot={<Amounts title={t('sum')} of={totals} {...{ own, ownOf, decimals }} />}
        columns={columnsOf(own, decimals, explain)}
      />
      {rows.length > FIRST_ROWS && (
        <Button small onClick={() => setWhole(!isWhole)} aria-expanded={isWhole}>
          {isWhole ? t('showFew', { count: FIRST_ROWS }) : t('showAll', { count: rows.length })}
        </Button>
      )}
      {explained !== undefined && (
        <Dialog
          title={t('explain', { number: rows[explained.at]?.InstallmentNo ?? '' })}
          onClose={() => explain(undefined)}
        >
          <Explanations {...explained} schedule={schedule} decimals={decimals} />
        </Dialog>
      )}
    </>
  );
}

/** The columns of the schedule type are last. The Tab key reaches only row numbers, which explain the whole row. */
function columnsOf(
  own: readonly string[],
  decimals: number,
  explain: (explained: Explained) => void,
): readonly Column<ShownRow>[] {
  const figure = (value: number, explained: Explained) => (
    <button type="button" class="figure-button" tabIndex={-1} onClick={() => explain(explained)}>
      {formatAmount(value, decimals)}
    </button>
  );
  return [
    [
      t('installment'),
      ({ InstallmentNo: number, isEarlyRepayment, overpaid }, at) => (
        <>
          <button
            type="button"
            class="figure-button"
            aria-label={t('explainRow', { number })}
            onClick={() => explain({ at, figures: [] })}
          >
            {number}
          </button>
          {isEarlyRepayment === 'true' && <span class="small soft"> {t('extraRow')}</span>}
          {overpaid !== undefined && (
            <span class="small soft">
              , {t('overpaid')} {formatAmount(overpaid, decimals)}
            </span>
          )}
        </>
      ),
    ],
    [t('due'), ({ DueDate }) => formatDate(DueDate), 'figures nowrap'],
    [t('days'), ({ NoDays }) => formatNumber(NoDays), 'number'],
    ...COLUMNS.map(
      ([key, value, figures]) =>
        [t(key), (row: ShownRow, at: number) => figure(value(row), { at, figures }), 'number'] as const,
    ),
    ...own.map(
      (name) =>
        [
          name,
          (row: ShownRow, at: number) => figure(ownAmount(row, name), { at, figures: ['column'], name }),
          'number',
        ] as const,
    ),
  ];
}

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

function Explanations(props: Explained & { schedule: ShownSchedule; decimals: number }) {
  const { at, figures, name, schedule, decimals } = props;
  const loaded = useLoaded((signal) => loadExplained(schedule, signal), [schedule]);
  return (
    <WhenLoaded loaded={loaded}>
      {({ [at]: row }) => {
        const all = row?.explanation ?? [];
        const chosen = all.filter(
          (one) => figures.includes(one.figure) && (name === undefined || one.name === name),
        );
        return (
          <dl class="stack">
            {(chosen.length > 0 ? chosen : all).map((one, index) => (
              <div key={index}>
                <dt class="row-between strong">
                  <span>
                    {knownText('figures', one.figure) ?? one.figure}
                    {one.name !== undefined && <span class="soft">: {one.name}</span>}
                  </span>
                  <span class="figures">{formatAmount(one.amount, decimals)}</span>
                </dt>
                <dd class="breakable">
                  {one.formula !== undefined && <code>{one.formula}</code>}
                  {one.dayCount !== undefined && <div class="small soft">{one.dayCount}</div>}
                </dd>
              </div>
            ))}
          </dl>
        );
      }}
    </WhenLoaded>
  );
}
