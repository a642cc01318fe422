import { useEffect, useRef, useState } from 'preact/hooks';
import { callAction } from '../api.ts';
import { Button, Failure, Loading, Notice } from '../design/components.tsx';
import { asProblem } from '../engine-error.ts';
import { Check, ChoiceField, TextField } from '../design/fields.tsx';
import { formatAmount, groupSign } from '../format.ts';
import { choiceText, withLabels } from '../schedules/field-texts.ts';
import { entryText } from '../schedules/remarks.ts';
import { ShortFigures } from '../schedules/schedule-figures.tsx';
import { paymentLabel } from '../schedules/payment-text.ts';
import { fieldName } from './field-values.ts';
import { OfferTable } from './offer-table.tsx';
import {
  offerFigures,
  readOffer,
  type Product,
  type Simulated,
  type SimulatedOffer,
} from './product-types.ts';
import {
  entryOfProduct,
  figureOf,
  firstTerms,
  interestTypes,
  neededFigures,
  optionalDiscounts,
  simulateRequest,
  unreadTerms,
  type SimulationTerms,
} from './simulation-terms.ts';
import { t } from './texts.ts';

interface Simulation {
  /** The request of which this is the result. */
  readonly request: string;
  readonly offers?: readonly SimulatedOffer[];
  readonly error?: unknown;
  readonly isRunning?: boolean;
  /** The user has asked for it: the first one is made with the page. */
  readonly isAsked: boolean;
}

/** The terms of a simulation with their faults, and the result, which is outdated when they have changed since. */
function useSimulation(code: string, product: Product) {
  const [terms, setTerms] = useState<SimulationTerms>(() => firstTerms(product));
  const [simulation, setSimulation] = useState<Simulation>({ request: '', isAsked: false });
  const entry = entryOfProduct(product, groupSign());
  const sent = simulateRequest(code, terms, product, groupSign());
  const request = JSON.stringify(sent);
  const unread = Object.entries(unreadTerms(terms, entry)).map(([path, { fault, entered }]) => ({
    path,
    message: entryText(fault, entered, entry),
  }));
  const run = async (isAsked: boolean): Promise<void> => {
    if (unread.length > 0) return;
    setSimulation({ request, isRunning: true, isAsked });
    try {
      const { reply } = await callAction<Simulated>('PLAT_BP_Simulate', sent);
      setSimulation({ request, offers: reply.Records, isAsked });
    } catch (error) {
      setSimulation({ request, error, isAsked });
      const needed = neededFigures(faultsOf(error).map(({ path }) => path));
      setTerms((former) => ({
        ...former,
        figures: { ...Object.fromEntries(needed.map((path) => [path, ''])), ...former.figures },
      }));
    }
  };
  useEffect(() => void run(false), []);
  const isOutdated = simulation.request !== '' && (simulation.request !== request || unread.length > 0);
  const change = (changed: Partial<SimulationTerms>): void =>
    setTerms((former) => ({ ...former, ...changed }));
  return { terms, change, run, unread, simulation, isOutdated, decimals: entry.decimals };
}

/** Simulates the offers of a product, at first for terms between its bounds. Fields that only some products need appear when they are asked for. */
export function OfferSimulation({ code, product }: { code: string; product: Product }) {
  const { terms, change, run, unread, simulation, isOutdated, decimals } = useSimulation(code, product);
  const result = useRef<HTMLDivElement>(null);
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
      {offers?.[0] !== undefined && (
        <ShortFigures
          figures={shortOffer(offers[0], decimals)}
          mark={mark}
          onShow={() => result.current?.scrollIntoView()}
        />
      )}
      {simulation.isRunning === true && <Loading />}
      {isQuestion && <Notice>{t('furtherFigures')}</Notice>}
      {error !== undefined && !isQuestion && <Failure error={error} say={sayFault} />}
      {mark !== '' && <Notice tone={unread.length > 0 ? 'bad' : 'warn'}>{mark}</Notice>}
      {offers !== undefined && (
        <div ref={result} class={isMarked ? 'schedules-outdated' : undefined}>
          <OfferTable offers={offers} currency={product.Availability?.Currency} />
        </div>
      )}
    </section>
  );
}

/** The payment and the total of an offer. */
function shortOffer(offer: SimulatedOffer, decimals: number) {
  const { payment, total } = offerFigures(offer, readOffer(offer), decimals);
  return [
    [paymentLabel(payment), formatAmount(payment.amount, decimals)],
    [t('total'), formatAmount(total.amount, decimals)],
  ] as const;
}

const LABELS = {
  amount: 'amount',
  downPayment: 'downPayment',
  loanPeriod: 'period',
  scheduleType: 'scheduleType',
  interestType: 'interestType',
} as const;

/** A fault in the words of this page. */
function sayFault({ path, message }: { path: string; message: string }): string {
  const label = Object.hasOwn(LABELS, path) ? t(LABELS[path as keyof typeof LABELS]) : figureText(path);
  return `${label}: ${withLabels(message)}`;
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
  const faultOf = (field: string): string | undefined =>
    messageOf(faults.find(({ path }) => path === field || path.endsWith(`.${field}`)));
  const types = product.Details?.AssociatedPaymentScheduleTypes ?? [];
  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault();
        onRun();
      }}
    >
      <div class="columns">
        {(['amount', 'downPayment', 'period'] as const).map((field) => (
          <TextField
            key={field}
            inputMode="decimal"
            label={t(field)}
            value={terms[field]}
            error={faultOf(field === 'period' ? 'loanPeriod' : field)}
            onChange={(text) => onChange({ [field]: text })}
          />
        ))}
        <ChoiceField
          label={t('scheduleType')}
          value={terms.scheduleType}
          options={types.map(({ PaymentScheduleCode: type, PaymentScheduleTypeName: name }) => [
            type,
            choiceText(name),
          ])}
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
        <Figures terms={terms} faults={faults} onChange={onChange} />
      </div>
      <Discounts
        product={product}
        chosen={terms.discounts}
        onChange={(discounts) => onChange({ discounts })}
      />
      <div>
        <Button kind="primary" type="submit">
          {t('run')}
        </Button>
      </div>
    </form>
  );
}

function messageOf(fault: { readonly message: string } | undefined): string | undefined {
  return fault === undefined ? undefined : withLabels(fault.message);
}

/** The figures that this product has asked for. */
function Figures({ terms, faults, onChange }: Pick<TermsFormProps, 'terms' | 'faults' | 'onChange'>) {
  return (
    <>
      {Object.entries(terms.figures).map(([path, text]) => (
        <TextField
          key={path}
          inputMode="decimal"
          label={figureText(path)}
          hint={t('askedBy')}
          value={text}
          error={messageOf(faults.find((fault) => fault.path === path))}
          onChange={(changed) => onChange({ figures: { ...terms.figures, [path]: changed } })}
        />
      ))}
    </>
  );
}

/** The name of a figure in the catalogue; fixed values are fields of the interface. */
function figureText(path: string): string {
  const { section, name } = figureOf(path);
  if (section !== '') return name;
  if (name === 'principalValue' || name === 'installmentValue') return t(name);
  return fieldName(name);
}

function Discounts(props: {
  product: Product;
  chosen: readonly string[];
  onChange: (chosen: readonly string[]) => void;
}) {
  const { product, chosen, onChange } = props;
  const names = [...new Set(optionalDiscounts(product).map(({ Name }) => Name))];
  if (names.length === 0) return null;
  return (
    <fieldset class="row">
      <legend>{t('optionalDiscounts')}</legend>
      {names.map((name) => (
        <Check
          key={name}
          label={name}
          checked={chosen.includes(name)}
          onChange={(checked) => onChange(checked ? [...chosen, name] : chosen.filter((one) => one !== name))}
        />
      ))}
    </fieldset>
  );
}
