import { useEffect, useReducer, useState } from 'preact/hooks';
import {
  Button,
  CopyButton,
  Definitions,
  Failure,
  Loading,
  Notice,
  PageHead,
  download,
} from '../design/components.tsx';
import { asProblem } from '../engine-error.ts';
import { formatDate, formatEntry, groupSign } from '../format.ts';
import { RESPONSE_FIELDS, type FormField } from './loan-fields.ts';
import { placeText, valueText } from './field-texts.ts';
import {
  currencyOf,
  decimalsOf,
  entryOf,
  exampleLoan,
  isSent,
  itemsOf,
  listValues,
  loanTerms,
  MAX_VARIANTS,
  readLoans,
  readPlace,
  writeLoans,
  type Loan,
} from './loan.ts';
import { focusPlace, LoanForm } from './loan-form.tsx';
import { remarkOn, type Remarks } from './remarks.ts';
import { toCsv, type ShownSchedule } from './schedule.ts';
import { shortFigures, ScheduleFigures } from './schedule-figures.tsx';
import { schedulesText as t } from '../texts.ts';
import { useSchedule, type LiveSchedule } from './use-schedule.ts';
import { variantName, VariantTable, type Variant } from './variant-table.tsx';
import { SCHEDULE_FORM, SCHEDULE_TOPIC, TOKEN_REQUIRED } from '../page-settings.ts';
import { asCurl, asJson, asKafkaMessage } from './call-formats.ts';
import { ScheduleChart, VariantChart } from './schedule-charts.tsx';
import { ScheduleTable } from './schedule-table.tsx';

/** Browsers limit how often a page may change its address, so the page waits this long after the last change. */
const ADDRESS_MS = 300;

/** Shows up to three variants of a loan with their schedules. The address contains all variants. */
export function SchedulesPage() {
  const form = SCHEDULE_FORM;
  const { loans, loan, at, setLoans, select, change } = useLoans(form);
  const terms = loans.map((one) => loanTerms(one, form, groupSign()));
  const lives = [useSchedule(terms[0]), useSchedule(terms[1]), useSchedule(terms[2])].slice(0, loans.length);
  const live = lives[at];
  const [isExplained, explain] = useReducer((former: boolean) => !former, false);
  const current = live?.isLoading === false && live.error === undefined ? live.value : undefined;
  const remarks = remarkOn(loan, form, live);
  const decimals = decimalsOf(loan);
  // After an error the last schedule of a loan is out of date, so it is not compared.
  const variants = loans.map((one, index) => {
    const { error, value } = lives[index] ?? {};
    return { loan: one, schedule: error === undefined ? value : undefined };
  });
  const isCalculating = lives.some(({ isLoading }) => isLoading);
  const mark = live?.error === undefined ? (isCalculating ? t('calculating') : '') : t('outdated');
  return (
    <>
      <PageHead title={t('title')} lead={t('lead')}>
        <Export schedule={current} loans={loans} decimals={decimals} />
      </PageHead>
      <p class="visually-hidden" role="status">
        {current !== undefined && shortFigures(current, decimals)}
      </p>
      <div class="schedules">
        <div class="stack schedules-form no-print">
          <div class="row-between tight">
            <Variants {...{ loans, lives, at, select, setLoans }} />
            <div class="row tight">
              <Button small kind="quiet" onClick={() => setLoans([firstLoan()])}>
                {t('startAgain')}
              </Button>
              <Button small kind="quiet" aria-pressed={isExplained} onClick={explain}>
                {t('showHelp')}
              </Button>
            </div>
          </div>
          <LoanForm key={at} {...{ form, loan, isExplained, ...remarks }} onChange={change} />
        </div>
        <div class="stack" aria-busy={live?.isLoading}>
          <OfferHead {...{ loan, form }} variant={variants.length > 1 ? variantName(at) : ''} />
          {live?.error !== undefined && <Problems live={live} {...remarks} />}
          {live?.value === undefined && live?.error === undefined && <Loading label={t('calculating')} />}
          {live?.value !== undefined && (
            <Result
              schedule={live.value}
              terms={terms[at] ?? {}}
              {...{ variants, at, form, decimals, mark }}
            />
          )}
        </div>
      </div>
    </>
  );
}

/** The head of a printed offer, with the terms of the calculation. `variant` is empty if there is only one. */
function OfferHead(props: { loan: Loan; form: readonly FormField[]; variant: string }) {
  const { loan, form, variant } = props;
  const entry = entryOf(loan, groupSign());
  const shown = listValues(loan, form).filter(({ place, field }) => {
    const { list = '', index = 0 } = readPlace(place) ?? {};
    return !RESPONSE_FIELDS.includes(field.name) && isSent(list, itemsOf(loan, list)[index] ?? {});
  });
  return (
    <section class="print-only offer">
      <div class="row-between">
        <h2>
          {t('offer')}
          {variant !== '' && `: ${t('variant', { name: variant })}`}
        </h2>
        <span class="soft">{t('calculatedOn', { date: formatDate(today()) })}</span>
      </div>
      <Definitions
        items={shown.map(({ place, field, text }) => [placeText(place), valueText(field, text, entry)])}
      />
    </section>
  );
}

/** The variants, and the index of the shown one, for a user who returns to the page. */
let left: { readonly loans: readonly Loan[]; readonly at: number } | undefined;

/** The variants and the shown one. Writes the variants to the address. An address without variants opens `left`. */
function useLoans(form: readonly FormField[]) {
  const [loans, setLoans] = useState<readonly Loan[]>(() => {
    const linked = readLoans(location, form);
    if (linked.length === 0) return left?.loans ?? [firstLoan()];
    if (left !== undefined && writeLoans(linked) !== writeLoans(left.loans)) left = undefined;
    return linked;
  });
  const [selected, select] = useState(left?.at ?? 0);
  const at = Math.min(selected, loans.length - 1);
  useEffect(() => {
    left = { loans, at };
  }, [loans, at]);
  useEffect(() => {
    const timer = setTimeout(
      () => history.replaceState(history.state, '', location.pathname + writeLoans(loans)),
      ADDRESS_MS,
    );
    return () => clearTimeout(timer);
  }, [loans]);
  const change = (changed: Loan): void =>
    setLoans((former) => former.map((one, index) => (index === at ? changed : one)));
  return { loans, loan: loans[at] ?? firstLoan(), at, setLoans, select, change };
}

function Variants(props: {
  loans: readonly Loan[];
  at: number;
  lives: readonly LiveSchedule[];
  select: (at: number) => void;
  setLoans: (loans: readonly Loan[]) => void;
}) {
  const { loans, lives, at, select, setLoans } = props;
  return (
    <div class="row tight" role="group" aria-label={t('variants')}>
      {loans.length > 1 &&
        loans.map((_, index) => (
          <Button
            key={index}
            small
            kind={index === at ? 'primary' : 'normal'}
            aria-pressed={index === at}
            onClick={() => select(index)}
          >
            {t('variant', { name: variantName(index) })}
            {lives[index]?.error !== undefined && (
              <>
                <span aria-hidden="true">⚠</span>
                <span class="visually-hidden">, {t('hasFaults')}</span>
              </>
            )}
          </Button>
        ))}
      {loans.length < MAX_VARIANTS && (
        <Button
          small
          onClick={() => {
            const copied = loans[at];
            if (copied !== undefined) setLoans([...loans, copied]);
            select(loans.length);
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
            setLoans(loans.filter((_, index) => index !== at));
            select(at - 1);
          }}
        >
          {t('removeVariant', { name: variantName(at) })}
        </Button>
      )}
    </div>
  );
}

/** Without a schedule of the current terms, the user can neither save nor print. */
function Export(props: { schedule: ShownSchedule | undefined; loans: readonly Loan[]; decimals: number }) {
  const { schedule, loans, decimals } = props;
  const disabled = schedule === undefined;
  return (
    <>
      <Button
        small
        disabled={disabled}
        onClick={() => schedule && download('schedule.csv', toCsv(schedule.rows, decimals))}
      >
        {t('csv')}
      </Button>
      <Button small disabled={disabled} onClick={() => print()}>
        {t('print')}
      </Button>
      <CopyButton label={t('share')} text={() => location.origin + location.pathname + writeLoans(loans)} />
    </>
  );
}

function Problems(props: Remarks & { live: LiveSchedule }) {
  const { live, faults, others } = props;
  const isAboutFields = (asProblem(live.error).errors ?? []).length > 0;
  if (!isAboutFields) return <Failure error={live.error} onRetry={live.reload} />;
  return (
    <Notice tone="bad">
      <strong>{t('correct')}</strong>
      <ul>
        {Object.entries(faults).map(([place, { text, lang }]) => (
          <li key={place}>
            <button type="button" class="link-button" onClick={() => focusPlace(place)}>
              {placeText(place)}
            </button>{' '}
            <span lang={lang}>{text}</span>
          </li>
        ))}
        {others.map((text) => (
          <li key={text} lang="en">
            {text}
          </li>
        ))}
      </ul>
    </Notice>
  );
}

const firstLoan = (): Loan => exampleLoan(today(), formatEntry);

/** The local date as YYYY-MM-DD, which is the Swedish format. */
const today = (): string => new Date().toLocaleDateString('sv');

function Result(props: {
  schedule: ShownSchedule;
  variants: readonly Variant[];
  form: readonly FormField[];
  terms: Readonly<Record<string, unknown>>;
  at: number;
  decimals: number;
  /** Why the figures may not be those of the current terms; empty if they are. */
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
      {variants.length > 1 && (
        <>
          <VariantTable variants={variants} form={form} />
          <VariantChart variants={variants} />
        </>
      )}
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
      <p class="print-only offer small">{t('offerNote')}</p>
      <div class="row no-print">
        <CopyButton label={t('copyCurl')} text={() => asCurl(location.origin, terms, TOKEN_REQUIRED)} />
        <CopyButton label={t('copyJson')} text={() => asJson(terms)} />
        <CopyButton label={t('copyKafka')} text={() => asKafkaMessage(SCHEDULE_TOPIC, terms)} />
      </div>
    </div>
  );
}
