import { useEffect, useState } from 'preact/hooks';
import { callAction } from '../api.ts';
import { Button, Failure, Loading, Notice } from '../design/components.tsx';
import { asProblem } from '../engine-error.ts';
import { OfferDocumentButton } from './offer-document.tsx';
import { Check, Form, ChoiceField, TextField } from '../design/fields.tsx';
import { formatAmount, formatNumber, formatPercent } from '../format.ts';
import { choiceText, withLabels } from '../schedules/field-texts.ts';
import { paymentLabel, exceptionText, type LeadingPayment } from '../schedules/leading-payment.ts';
import { fieldName, periodicityText } from './field-values.ts';
import type { Product } from './product-look-up.tsx';
import {
  offerFigures,
  readOffer,
  type Simulated,
  type SimulatedOffer,
  ONCE,
  periodicityOf,
  type OfferCharge,
  type OfferParts,
  type OfferSum,
} from './simulated-offer.ts';
import {
  figureOf,
  firstTerms,
  interestTypes,
  neededFigures,
  simulateRequest,
  unreadTerms,
  type SimulationTerms,
} from './simulation-terms.ts';
import { knownText, productsText as t } from '../texts.ts';
import { Table } from '../design/table.tsx';
import { decimalsOfCurrency } from '../schedules/loan.ts';
import type { ShownAmounts } from '../schedules/schedule.ts';

interface Simulation {
  readonly request: string;
  readonly offers?: readonly SimulatedOffer[];
  readonly error?: unknown;
  readonly isRunning?: boolean;
  /** False for the first simulation, which the page starts by itself. */
  readonly isAsked: boolean;
}

function useSimulation(code: string, product: Product) {
  const [terms, setTerms] = useState<SimulationTerms>(() => firstTerms(product));
  const [simulation, setSimulation] = useState<Simulation>({ request: '', isAsked: false });
  const sent = simulateRequest(code, terms, product);
  const request = JSON.stringify(sent);
  const unread = unreadTerms(terms, product);
  const ask = (paths: readonly string[]): void => {
    const asked = Object.fromEntries(neededFigures(paths).map((path) => [path, '']));
    setTerms((former) => ({ ...former, figures: { ...asked, ...former.figures } }));
  };
  const run = async (isAsked: boolean): Promise<void> => {
    if (unread.length > 0) return;
    setSimulation({ request, isRunning: true, isAsked });
    try {
      const { reply, warnings } = await callAction<Simulated>('PLAT_BP_Simulate', sent);
      setSimulation({ request, offers: reply.Records, isAsked });
      ask(warnings.filter((warning) => warning.code === 'assumed').map(({ path }) => path));
    } catch (error) {
      setSimulation({ request, error, isAsked });
      ask(faultsOf(error).map(({ path }) => path));
    }
  };
  useEffect(() => void run(false), []);
  const isOutdated = simulation.request !== '' && (simulation.request !== request || unread.length > 0);
  const change = (changed: Partial<SimulationTerms>) => setTerms((former) => ({ ...former, ...changed }));
  return { terms, change, run, unread, simulation, isOutdated };
}

/** Simulates the offers of a product, first with `firstTerms`. Adds fields for figures that the engine asks for. */
export function OfferSimulation({ code, product }: { code: string; product: Product }) {
  const { terms, change, run, unread, simulation, isOutdated } = useSimulation(code, product);
  const { offers } = simulation;
  const isMarked = isOutdated && offers !== undefined;
  const mark = unread.length > 0 ? t('correct') : isMarked ? t('outdated') : '';
  const error = isOutdated ? undefined : simulation.error;
  const faults = faultsOf(error);
  const asksOnly =
    faults.length > 0 && neededFigures(faults.map(({ path }) => path)).length === faults.length;
  const isQuestion = !simulation.isAsked && asksOnly;
  return (
    <section class="card stack">
      <h2>{t('simulate')}</h2>
      <TermsForm
        terms={terms}
        product={product}
        faults={isQuestion ? unread : [...unread, ...faults]}
        onChange={change}
        onRun={() => void run(true)}
      />
      {simulation.isRunning === true && <Loading />}
      {isQuestion && <Notice>{t('furtherFigures')}</Notice>}
      {error !== undefined && !isQuestion && <Failure error={error} say={sayFault} />}
      {mark !== '' && <Notice tone={unread.length > 0 ? 'bad' : 'warn'}>{mark}</Notice>}
      {offers !== undefined && (
        <div class={isMarked ? 'schedules-outdated' : undefined}>
          <OfferTable
            offers={offers}
            currency={product.Availability?.Currency}
            request={simulation.request}
          />
        </div>
      )}
    </section>
  );
}

function sayFault({ path, message }: { path: string; message: string }): string {
  return `${labelOf(path)}: ${withLabels(message)}`;
}

/** The label of a term by its path in the request. That of a formula argument or a filter is its name in the catalogue. */
function labelOf(path: string): string {
  const { section, name } = figureOf(path);
  return section === '' ? (knownText('products', name) ?? fieldName(name)) : name;
}

const faultsOf = (error: unknown) => (error === undefined ? [] : (asProblem(error).errors ?? []));

interface TermsFormProps {
  readonly terms: SimulationTerms;
  readonly product: Product;
  readonly faults: readonly { readonly path: string; readonly message: string }[];
  readonly onChange: (changed: Partial<SimulationTerms>) => void;
  readonly onRun: () => void;
}

function TermsForm({ terms, product, faults, onChange, onRun }: TermsFormProps) {
  const faultOf = (field: string) =>
    messageAt(faults, (path) => path === field || path.endsWith(`.${field}`));
  const types = product.Details?.AssociatedPaymentScheduleTypes ?? [];
  return (
    <Form class="stack" onSubmit={onRun}>
      <div class="columns">
        {(['amount', 'downPayment', 'loanPeriod'] as const).map((field) => (
          <TextField
            key={field}
            inputMode="decimal"
            label={t(field)}
            value={terms[field]}
            error={faultOf(field)}
            onChange={(text) => onChange({ [field]: text })}
          />
        ))}
        <ChoiceField
          label={t('scheduleType')}
          value={terms.scheduleType}
          options={types.map((type) => [type.PaymentScheduleCode, choiceText(type.PaymentScheduleTypeName)])}
          error={faultOf('scheduleType')}
          onChange={(scheduleType) => onChange({ scheduleType })}
        />
        <ChoiceField
          label={t('interestType')}
          value={terms.interestType}
          options={[
            ['', t('defaultInterest')],
            ...interestTypes(product).map((type) => [type, type] as const),
          ]}
          error={faultOf('interestType')}
          onChange={(interestType) => onChange({ interestType })}
        />
        {Object.entries(terms.figures).map(([path, text]) => (
          <TextField
            key={path}
            inputMode="decimal"
            label={labelOf(path)}
            hint={t(path.includes('Filter') ? 'assumed' : 'askedBy')}
            value={text}
            error={messageAt(faults, (faulty) => faulty === path)}
            onChange={(changed) => onChange({ figures: { ...terms.figures, [path]: changed } })}
          />
        ))}
      </div>
      <Check
        label={t('InterestType')}
        checked={terms.isInAdvance}
        onChange={(isInAdvance) => onChange({ isInAdvance })}
      />
      <Discounts {...{ product, terms, onChange }} />
      <Button kind="primary" type="submit">
        {t('run')}
      </Button>
    </Form>
  );
}

function messageAt(faults: TermsFormProps['faults'], isPlace: (path: string) => boolean) {
  const fault = faults.find(({ path }) => isPlace(path));
  return fault && withLabels(fault.message);
}

function Discounts({ product, terms, onChange }: Pick<TermsFormProps, 'product' | 'terms' | 'onChange'>) {
  const { discounts: chosen } = terms;
  const offered = (product.Dimensions?.Discounts ?? []).filter((one) => one.IsOptionalDiscount);
  const names = [...new Set(offered.map(({ Name }) => Name))];
  if (names.length === 0) return null;
  return (
    <fieldset class="row">
      <legend>{t('optionalDiscounts')}</legend>
      {names.map((name) => (
        <Check
          key={name}
          label={name}
          checked={chosen.includes(name)}
          onChange={(checked) =>
            onChange({ discounts: checked ? [...chosen, name] : chosen.filter((one) => one !== name) })
          }
        />
      ))}
    </fieldset>
  );
}

const RATE_DECIMALS = 4;

interface OfferTableProps {
  readonly offers: readonly SimulatedOffer[];
  readonly currency: string | undefined;
  readonly request: string;
}

function OfferTable({ offers, currency, request }: OfferTableProps) {
  const decimals = decimalsOfCurrency(currency ?? '');
  const rows = offers.map((offer) => {
    const parts = readOffer(offer);
    return { offer, parts, ...offerFigures(offer, parts, decimals) };
  });
  const amount = (value: number): string => formatAmount(value, decimals);
  const sum = ({ amount: all, atStart }: OfferSum) => (
    <Amount text={amount(all)} notes={atStart === 0 ? [] : [t('atStart', { amount: amount(atStart) })]} />
  );
  const payment = (leading: LeadingPayment) => (
    <Amount text={amount(leading.amount)} notes={[paymentLabel(leading), exceptionText(leading, amount)]} />
  );
  return (
    <>
      <Table
        label={currency === undefined ? t('results') : `${t('results')} (${currency})`}
        hasCaption
        rows={rows}
        columns={[
          [t('costs'), ({ parts }) => <Prices charges={parts.commissions} decimals={decimals} />],
          [t('payment'), (one) => payment(one.payment), 'number'],
          [t('total'), ({ total }) => sum(total), 'number'],
          [t('rate'), ({ offer }) => percentText(offer.InterestPercent), 'number'],
          [t('irr'), ({ offer }) => percentText(offer.IRR), 'number'],
          [t('fees'), ({ fees }) => sum(fees), 'number'],
          [t('insurance'), ({ insurance }) => sum(insurance), 'number'],
        ]}
      />
      {rows.map(({ offer, parts }, index) => (
        <details key={index} open={rows.length === 1}>
          <summary>{t('offerParts', { number: index + 1 })}</summary>
          <OfferDocumentButton {...{ request, offer }} />
          <Parts {...{ offer, parts, decimals }} />
        </details>
      ))}
    </>
  );
}

function Prices({ charges, decimals }: { charges: readonly OfferCharge[]; decimals: number }) {
  if (charges.length === 0) return <>{t('none')}</>;
  return (
    <>
      {charges.map((charge, index) => (
        <div key={index}>
          {charge.Name}{' '}
          <span class="soft small">
            {priceOf(charge.Value, charge.Percent, decimals)}, {periodicityText(periodicityOf(charge))}
          </span>
        </div>
      ))}
    </>
  );
}

function Amount({ text, notes }: { text: string; notes: readonly string[] }) {
  return (
    <>
      {text}
      {notes.filter(Boolean).map((note) => (
        <div key={note} class="figure-note">
          {note}
        </div>
      ))}
    </>
  );
}

/** Formats a percentage of a reply, such as `8.5000%`, for the locale. Null becomes a dash. */
function percentText(text: string | null): string {
  if (text === null) return '–';
  const percent = Number(text.replace('%', ''));
  return Number.isNaN(percent) ? text : formatPercent(percent, RATE_DECIMALS);
}

function priceOf(value: number | null, percent: number | null, decimals: number): string {
  if (value !== null) return formatAmount(value, decimals);
  return percent === null ? '–' : formatPercent(percent, RATE_DECIMALS);
}

function Parts(props: { offer: SimulatedOffer; parts: OfferParts; decimals: number }) {
  const { offer, parts, decimals } = props;
  const { commissions, insurances, rows, baseRate } = parts;
  const before = baseRate === undefined ? '' : formatPercent(baseRate, RATE_DECIMALS);
  const isReduced = before !== '' && before !== percentText(offer.InterestPercent);
  const charges = [...commissions, ...insurances];
  return (
    <div class="stack">
      {isReduced && (
        <p>
          {t('reducedRate', {
            rate: percentText(offer.InterestPercent),
            before,
          })}
        </p>
      )}
      {charges.length > 0 && (
        <Table
          label={t('charges')}
          class="table-dense"
          hasCaption
          rows={charges}
          columns={[
            [t('name'), ({ Name }) => Name],
            [t('periodicity'), (charge) => periodicityText(periodicityOf(charge))],
            [
              t('beforeDiscounts'),
              ({ BaseValue, BasePercent }) => priceOf(BaseValue, BasePercent, decimals),
              'number',
            ],
            [t('price'), ({ Value, Percent }) => priceOf(Value, Percent, decimals), 'number'],
          ]}
        />
      )}
      {commissions.some((charge) => periodicityOf(charge) === ONCE) && (
        <p class="small soft">{t('paidOnce')}</p>
      )}
      <Rows rows={rows} decimals={decimals} />
    </div>
  );
}

function Rows({ rows, decimals }: { rows: readonly ShownAmounts[]; decimals: number }) {
  const [first, ...others] = rows;
  const amount = (head: string, of: (row: ShownAmounts) => number) =>
    [head, (row: ShownAmounts) => formatAmount(of(row), decimals), 'number'] as const;
  return (
    <div class="table-scroll">
      <Table
        label={t('instalments')}
        class="table-dense"
        hasCaption
        rows={first !== undefined && first.totalInstallment > 0 ? rows : others}
        columns={[
          [
            t('instalment'),
            ({ InstallmentNo: number }) => (number === 0 ? t('downPayment') : formatNumber(number)),
          ],
          amount(t('principal'), ({ principal }) => principal),
          amount(t('rate'), ({ interest }) => interest),
          amount(t('fees'), ({ managementFee }) => managementFee),
          amount(t('insurance'), ({ insurance = 0 }) => insurance),
          amount(t('instalmentTotal'), ({ totalInstallment }) => totalInstallment),
          amount(t('balanceBefore'), ({ remainingValue }) => remainingValue),
        ]}
      />
    </div>
  );
}
