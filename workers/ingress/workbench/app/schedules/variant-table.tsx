import type { ComponentChildren } from 'preact';
import { Table, type Column } from '../design/table.tsx';
import { formatAmount, formatDate, formatNumber, formatRate, groupSign } from '../format.ts';
import { placeText, valueText } from './field-texts.ts';
import type { FormField } from './loan-fields.ts';
import { leadingPayment, paymentLabel } from './leading-payment.ts';
import { currencyOf, decimalsOf, entryOf, listValues, type Loan } from './loan.ts';
import { exactSum, sumSchedule, type ShownSchedule } from './schedule.ts';
import { schedulesText as t } from '../texts.ts';

/** `A` for the index 0. */
export function variantName(index: number): string {
  return String.fromCodePoint(65 + index);
}

export interface Variant {
  readonly loan: Loan;
  readonly schedule: ShownSchedule | undefined;
}

const points = (value: number): string => t('points', { value: formatAmount(value, 4) });

/** The terms that differ, and the results against the first variant. Amounts in another currency show no difference. */
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
    [t('table'), totals.map((one) => one?.rows), formatNumber, formatNumber],
  ] as const;
  const results = lines.map(([label, values, format, formatDifference]): Line => {
    const cells = values.map((value, index) => (
      <>
        {value === undefined ? '–' : format(value)}
        {index > 0 && (format !== amount || currencies[index] === currencies[0]) && (
          <Difference value={value} first={values[0]} format={formatDifference} />
        )}
      </>
    ));
    return [label, cells];
  });
  const lastDue = totals.map((one) => (one === undefined ? '–' : formatDate(one.lastDueDate)));
  const columns: readonly Column<Line>[] = [
    [t('figure'), ([label]) => label],
    ...variants.map(
      (_, index) =>
        [t('variant', { name: variantName(index) }), ([, cells]: Line) => cells[index], 'number'] as const,
    ),
  ];
  const table = (label: string, rows: readonly Line[]) =>
    rows.length > 0 && <Table label={label} class="variant-table" hasCaption rows={rows} columns={columns} />;
  return (
    <section class="stack" aria-label={t('comparison')}>
      {table(t('termsOf'), differingTerms(variants, form))}
      {table(t('resultsAgainst', { name: variantName(0) }), [...results, [t('lastDue'), lastDue]])}
    </section>
  );
}

type Line = readonly [label: string, cells: readonly ComponentChildren[]];

/** The regular payments (the highest ones if a variant has none), then the highest and the last ones if they differ. */
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

function differingTerms(variants: readonly Variant[], form: readonly FormField[]): readonly Line[] {
  const byPlace = variants.map(({ loan }) => {
    const entry = entryOf(loan, groupSign());
    const values = listValues(loan, form);
    return new Map(values.map(({ place, field, text }) => [place, valueText(field, text, entry)]));
  });
  return [...new Set(byPlace.flatMap((values) => [...values.keys()]))]
    .map((place) => [placeText(place), byPlace.map((values) => values.get(place) ?? '–')] as const)
    .filter(([, values]) => new Set(values).size > 1);
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
