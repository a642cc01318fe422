import { useEffect, useState } from 'preact/hooks';
import { engine, replyOf } from '../api.ts';
import { asProblem, Failure, Field, Loading, Notice } from '../design/components.tsx';
import { choiceText } from '../schedules/field-texts.ts';
import { OfferTable } from './offer-table.tsx';
import type { Product, SimulatedOffer } from './product-types.ts';
import {
  figureOf,
  firstTerms,
  interestTypes,
  neededFigures,
  optionalDiscounts,
  simulateRequest,
  type SimulationTerms,
} from './simulation-terms.ts';
import { t } from './texts.ts';

interface Simulation {
  readonly offers?: readonly SimulatedOffer[];
  readonly error?: unknown;
  readonly isRunning?: boolean;
  /** The user has asked for it: the first one is made with the page. */
  readonly isAsked?: boolean;
}

/** Simulates the offers of a product, at first for terms between its bounds. Fields that only some products need appear when they are asked for. */
export function OfferSimulation({ code, product }: { code: string; product: Product }) {
  const [terms, setTerms] = useState<SimulationTerms>(() => firstTerms(product));
  const [simulation, setSimulation] = useState<Simulation>({});
  const run = async (isAsked: boolean): Promise<void> => {
    setSimulation({ isRunning: true, isAsked });
    try {
      const { Records } = await replyOf(engine.simulate(simulateRequest(code, terms, product)));
      setSimulation({ offers: Records });
    } catch (error) {
      setSimulation({ error, isAsked });
      const needed = neededFigures(faultsOf(error).map(({ path }) => path));
      setTerms((former) => ({
        ...former,
        figures: { ...Object.fromEntries(needed.map((path) => [path, ''])), ...former.figures },
      }));
    }
  };
  useEffect(() => void run(false), []);
  const faults = faultsOf(simulation.error);
  const asksOnly =
    faults.length > 0 && neededFigures(faults.map(({ path }) => path)).length === faults.length;
  const isQuestion = simulation.isAsked === false && asksOnly;
  return (
    <section class="card stack">
      <h2>{t('simulate')}</h2>
      <TermsForm
        terms={terms}
        product={product}
        faults={isQuestion ? [] : faults}
        onChange={(changed) => setTerms((former) => ({ ...former, ...changed }))}
        onRun={() => void run(true)}
      />
      {simulation.isRunning === true && <Loading />}
      {isQuestion && <Notice>{t('furtherFigures')}</Notice>}
      {simulation.error !== undefined && !isQuestion && <Failure error={simulation.error} />}
      {simulation.offers !== undefined && (
        <OfferTable offers={simulation.offers} currency={product.Availability?.Currency} />
      )}
    </section>
  );
}

const faultsOf = (error: unknown) => (error === undefined ? [] : (asProblem(error).errors ?? []));

interface TermsFormProps {
  readonly terms: SimulationTerms;
  readonly product: Product;
  readonly faults: ReturnType<typeof faultsOf>;
  readonly onChange: (changed: Partial<SimulationTerms>) => void;
  readonly onRun: () => void;
}

function TermsForm({ terms, product, faults, onChange, onRun }: TermsFormProps) {
  const faultOf = (field: string): string | undefined =>
    faults.find(({ path }) => path === field || path.endsWith(`.${field}`))?.message;
  const types = product.Details?.AssociatedPaymentScheduleTypes ?? [];
  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault();
        onRun();
      }}
    >
      <div class="product-simulation">
        {(['amount', 'downPayment', 'period'] as const).map((field) => (
          <NumberField
            key={field}
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
        <button class="button button-primary" type="submit">
          {t('run')}
        </button>
      </div>
    </form>
  );
}

/** The figures that this product has asked for. */
function Figures({ terms, faults, onChange }: Pick<TermsFormProps, 'terms' | 'faults' | 'onChange'>) {
  return (
    <>
      {Object.entries(terms.figures).map(([path, text]) => (
        <NumberField
          key={path}
          label={figureText(path)}
          hint={t('askedBy')}
          value={text}
          error={faults.find((fault) => fault.path === path)?.message}
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
  return t(name === 'principalValue' ? 'principalValue' : 'installmentValue');
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
        <label key={name} class="check">
          <input
            type="checkbox"
            checked={chosen.includes(name)}
            onChange={(event) =>
              onChange(event.currentTarget.checked ? [...chosen, name] : chosen.filter((one) => one !== name))
            }
          />
          {name}
        </label>
      ))}
    </fieldset>
  );
}

function ChoiceField(props: {
  label: string;
  value: string;
  options: readonly (readonly [value: string, label: string])[];
  error: string | undefined;
  onChange: (value: string) => void;
}) {
  return (
    <Field label={props.label} error={props.error}>
      {(control) => (
        <select
          {...control}
          class="input"
          value={props.value}
          onChange={(event) => props.onChange(event.currentTarget.value)}
        >
          {props.options.map(([value, label]) => (
            <option key={value} value={value} selected={value === props.value}>
              {label}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

function NumberField(props: {
  label: string;
  hint?: string;
  value: string;
  error: string | undefined;
  onChange: (value: string) => void;
}) {
  return (
    <Field label={props.label} hint={props.hint} error={props.error}>
      {(control) => (
        <input
          {...control}
          class="input input-number"
          inputMode="decimal"
          autocomplete="off"
          value={props.value}
          onInput={(event) => props.onChange(event.currentTarget.value)}
        />
      )}
    </Field>
  );
}
