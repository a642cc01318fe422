import { CopyButton, Notice } from '../design/components.tsx';
import { SCHEDULE_TOPIC, TOKEN_REQUIRED } from '../page-settings.ts';
import { asCurl, asJson, asKafkaMessage } from './call-formats.ts';
import { placeText } from './field-texts.ts';
import type { FormField } from './form-field.ts';
import { OfferNote } from './offer-sheet.tsx';
import { ScheduleChart } from './schedule-chart.tsx';
import { ScheduleFigures } from './schedule-figures.tsx';
import { ScheduleTable } from './schedule-table.tsx';
import { currencyOf } from './loan.ts';
import type { ShownSchedule } from './schedule.ts';
import { t } from './texts.ts';
import { VariantChart } from './variant-chart.tsx';
import { VariantTable, variantName, type Variant } from './variant-table.tsx';

/** A schedule: its totals, chart and rows, the comparison with the other variants, and the call that calculates it. */
export function Result(props: {
  schedule: ShownSchedule;
  variants: readonly Variant[];
  form: readonly FormField[];
  terms: Readonly<Record<string, unknown>>;
  /** The variant that is shown. */
  at: number;
  decimals: number;
  /** Why the figures are not those of the form; empty if they are. */
  mark: string;
}) {
  const { schedule, variants, form, terms, at, decimals, mark } = props;
  const currency = currencyOf(variants[at]?.loan);
  const variant = variants.length > 1 ? t('variant', { name: variantName(at) }) : undefined;
  const ignored = schedule.warnings.filter(({ code }) => code === 'no-effect');
  return (
    <div class={mark === '' ? 'stack' : 'stack schedules-outdated'}>
      {mark !== '' && <p class="small schedules-mark">{mark}</p>}
      <ScheduleFigures schedule={schedule} decimals={decimals} currency={currency} title={variant} />
      {ignored.length > 0 && (
        <div class="no-print">
          <Notice tone="warn">
            {t('ignored', {
              fields: ignored.map(({ path }) => placeText(path.replace(/^jsonParam\./, ''))).join(', '),
            })}
          </Notice>
        </div>
      )}
      {variants.length > 1 && <Comparison variants={variants} form={form} />}
      <section class="card card-tight">
        {variant !== undefined && <h2 class="schedule-variant no-print">{variant}</h2>}
        <ScheduleChart schedule={schedule} decimals={decimals} currency={currency} />
      </section>
      <div class="row-between">
        <h2>{t('table')}</h2>
        <span class="small soft">
          {currency !== '' && t('amountsIn', { currency })} <span class="no-print">{t('explainHint')}</span>
        </span>
      </div>
      <ScheduleTable schedule={schedule} decimals={decimals} />
      <OfferNote />
      <div class="row no-print">
        <CopyButton label={t('copyCurl')} text={() => asCurl(location.origin, terms, TOKEN_REQUIRED)} />
        <CopyButton label={t('copyJson')} text={() => asJson(terms)} />
        <CopyButton label={t('copyKafka')} text={() => asKafkaMessage(SCHEDULE_TOPIC, terms)} />
      </div>
    </div>
  );
}

/** The variants in figures and as lines; the lines only in one currency. */
function Comparison({ variants, form }: { variants: readonly Variant[]; form: readonly FormField[] }) {
  const currencies = new Set(variants.map(({ loan }) => currencyOf(loan)));
  const schedules = variants.map(({ schedule }) => schedule);
  const isDrawn = currencies.size === 1 && schedules.filter((one) => one !== undefined).length > 1;
  return (
    <>
      <VariantTable variants={variants} form={form} />
      {isDrawn && (
        <section class="card card-tight">
          <VariantChart schedules={schedules} currency={[...currencies][0] ?? ''} />
        </section>
      )}
    </>
  );
}
