import { TableFrame } from '../design/components.tsx';
import { formatAmount, formatDate, formatNumber, formatPercent } from '../format.ts';
import { exactSum, sumRows, type ShownSchedule } from './schedule.ts';
import { t } from './texts.ts';

/** A, B, C. */
export function variantName(index: number): string {
  return String.fromCodePoint(65 + index);
}

const rate = (value: number): string => formatPercent(value, 4);

/** The totals of the variants side by side, each with its difference from the first one. */
export function VariantTable(props: { schedules: readonly (ShownSchedule | undefined)[]; decimals: number }) {
  const { schedules, decimals } = props;
  const amount = (value: number): string => formatAmount(value, decimals);
  const totals = schedules.map((one) => (one === undefined ? undefined : sumRows(one.rows)));
  const lines = [
    [t('firstPayment'), totals.map((one) => one?.first), amount],
    [t('totalInterest'), totals.map((one) => one?.interest), amount],
    [t('totalCharges'), totals.map((one) => one?.charges), amount],
    [t('totalPaid'), totals.map((one) => one?.total), amount],
    [t('dae'), schedules.map((one) => one?.dae), rate],
    [t('eir'), schedules.map((one) => one?.eir), rate],
    [t('table'), totals.map((one) => one?.rows), (value: number) => formatNumber(value)],
  ] as const;
  return (
    <TableFrame label={t('comparison')}>
      <table class="table">
        <thead>
          <tr>
            <th scope="col">{t('figure')}</th>
            {schedules.map((_, index) => (
              <th key={index} scope="col" class="number">
                {t('variant', { name: variantName(index) })}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {lines.map(([label, values, format]) => (
            <tr key={label}>
              <th scope="row">{label}</th>
              {values.map((value, index) => (
                <td key={index} class="number">
                  {value === undefined ? '–' : format(value)}
                  {index > 0 && <Difference value={value} first={values[0]} format={format} />}
                </td>
              ))}
            </tr>
          ))}
          <tr>
            <th scope="row">{t('lastDue')}</th>
            {totals.map((one, index) => (
              <td key={index} class="number">
                {one === undefined ? '–' : formatDate(one.lastDueDate)}
              </td>
            ))}
          </tr>
        </tbody>
      </table>
    </TableFrame>
  );
}

function Difference(props: {
  value: number | undefined;
  first: number | undefined;
  format: (value: number) => string;
}) {
  const { value, first, format } = props;
  if (value === undefined || first === undefined || value === first) return null;
  const difference = exactSum([value, -first]);
  const text = `${difference > 0 ? '+' : '−'}${format(Math.abs(difference))}`;
  return <div class="small soft">{t('differs', { difference: text })}</div>;
}
