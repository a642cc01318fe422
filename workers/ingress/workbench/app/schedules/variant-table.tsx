import { TableFrame } from '../design/components.tsx';
import { formatAmount, formatDate, formatNumber, formatRate, groupSign } from '../format.ts';
import { placeText, valueText } from './field-texts.ts';
import type { FormField } from './form-field.ts';
import { leadingPayment } from './leading-payment.ts';
import { currencyOf, decimalsOf, entryOf, listValues, type Loan } from './loan.ts';
import { exactSum, sumSchedule, type ShownSchedule } from './schedule.ts';
import { paymentLabel } from './payment-text.ts';
import { t } from './texts.ts';

/** A, B, C. */
export function variantName(index: number): string {
  return String.fromCodePoint(65 + index);
}

export interface Variant {
  readonly loan: Loan;
  readonly schedule: ShownSchedule | undefined;
}

const count = (value: number): string => formatNumber(value);
/** A difference of rates, with their decimals. */
const points = (value: number): string => t('points', { value: formatAmount(value, 4) });

/**
 * The variants side by side: the terms that differ, and the totals, each with its difference from the first variant. Amounts in
 * another currency have none.
 */
export function VariantTable(props: { variants: readonly Variant[]; form: readonly FormField[] }) {
  const { variants, form } = props;
  const decimals = Math.max(...variants.map(({ loan }) => decimalsOf(loan)));
  const amount = (value: number): string => formatAmount(value, decimals);
  const currencies = variants.map(({ loan }) => currencyOf(loan));
  const schedules = variants.map(({ schedule }) => schedule);
  const totals = schedules.map((one) => (one === undefined ? undefined : sumSchedule(one)));
  const lines = [
    ...paymentLines(schedules).map(([label, values]) => [label, values, amount, amount] as const),
    [t('totalInterest'), totals.map((one) => one?.interest), amount, amount],
    [t('totalCharges'), totals.map((one) => one?.charges), amount, amount],
    [t('totalPaid'), totals.map((one) => one?.total), amount, amount],
    [t('dae'), schedules.map((one) => one?.dae), formatRate, points],
    [t('eir'), schedules.map((one) => one?.eir), formatRate, points],
    [t('table'), totals.map((one) => one?.rows), count, count],
  ] as const;
  return (
    <TableFrame label={t('comparison')}>
      <table class="table variant-table">
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
        <Terms variants={variants} form={form} />
        <tbody>
          <Part title={t('resultsAgainst', { name: variantName(0) })} columns={variants.length} />
          {lines.map(([label, values, format, formatDifference]) => (
            <tr key={label}>
              <th scope="row">{label}</th>
              {values.map((value, index) => (
                <td key={index} class="number">
                  {value === undefined ? '–' : format(value)}
                  {index > 0 && (format !== amount || currencies[index] === currencies[0]) && (
                    <Difference value={value} first={values[0]} format={formatDifference} />
                  )}
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

/**
 * The payments that can be compared: the regular ones where all variants have one, otherwise the highest ones, both without the last
 * one; and each further kind in which any variant differs from that.
 */
function paymentLines(schedules: readonly (ShownSchedule | undefined)[]) {
  const payments = schedules.map((one) => (one === undefined ? undefined : leadingPayment(one.rows)));
  const known = payments.flatMap((one) => one ?? []);
  const isRegular = known.every(({ kind }) => kind === 'regular');
  const hasHigherLast = known.some(({ highest, last }) => last > highest);
  const kind = isRegular ? 'regular' : hasHigherLast ? 'highest-regular' : 'highest';
  const leading = payments.map((one) => (isRegular ? one?.amount : one?.highest));
  const further = [
    [t(hasHigherLast ? 'highestRegular' : 'highestPayment'), payments.map((one) => one?.highest)],
    [t('lastAmount'), payments.map((one) => one?.last)],
  ] as const;
  const differs = (values: readonly (number | undefined)[]) =>
    values.some((value, at) => value !== leading[at]);
  return [[paymentLabel({ kind }), leading] as const, ...further.filter(([, values]) => differs(values))];
}

/** The terms that differ, as rows. */
function Terms({ variants, form }: { variants: readonly Variant[]; form: readonly FormField[] }) {
  const terms = differingTerms(variants, form);
  if (terms.length === 0) return null;
  return (
    <tbody>
      <Part title={t('termsOf')} columns={variants.length} />
      {terms.map(({ place, values }) => (
        <tr key={place}>
          <th scope="row">{placeText(place)}</th>
          {values.map((value, index) => (
            <td key={index} class="number">
              {value}
            </td>
          ))}
        </tr>
      ))}
    </tbody>
  );
}

function Part({ title, columns }: { title: string; columns: number }) {
  return (
    <tr>
      <th scope="rowgroup" colSpan={columns + 1} class="variant-part">
        {title}
      </th>
    </tr>
  );
}

/** The terms that are not the same in all variants, as they are shown. */
function differingTerms(
  variants: readonly Variant[],
  form: readonly FormField[],
): readonly { readonly place: string; readonly values: readonly string[] }[] {
  const byPlace = variants.map(({ loan }) => {
    const entry = entryOf(loan, groupSign());
    const values = listValues(loan, form);
    return new Map(values.map(({ place, field, text }) => [place, valueText(field, text, entry)]));
  });
  return [...new Set(byPlace.flatMap((values) => [...values.keys()]))]
    .map((place) => ({ place, values: byPlace.map((values) => values.get(place) ?? '–') }))
    .filter(({ values }) => new Set(values).size > 1);
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
  return (
    <div class="small soft">
      {text}
      <span class="visually-hidden"> {t('against', { name: variantName(0) })}</span>
    </div>
  );
}
