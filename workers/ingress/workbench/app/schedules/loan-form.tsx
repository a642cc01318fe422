import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Button, Field } from '../design/components.tsx';
import type { Charge, ExtraPayment, Loan } from './loan.ts';
import {
  GROUPS,
  LOAN_FIELDS,
  PERIODICITIES,
  type Group,
  type LoanField,
  type LoanFieldName,
} from './loan-fields.ts';
import { choiceText, fieldText, groupText, helpText, t } from './texts.ts';

interface FormProps {
  readonly loan: Loan;
  readonly onChange: (loan: Loan) => void;
  /** Faults by their place in the form, such as `Amount` or `commissions[0].date`. */
  readonly faults: Readonly<Record<string, string>>;
}

const DATE_INPUT = { type: 'date' } as const;
const TEXT_INPUT = { type: 'text' } as const;
/** Groups that are open at first; others are if they contain a value. Dates always do. */
const OPEN_GROUPS: ReadonlySet<Group> = new Set(['loan', 'rate', 'charges']);

/** All terms of a loan, by group. */
export function LoanForm({ loan, onChange, faults }: FormProps) {
  const setField = (name: LoanFieldName, text: string): void =>
    onChange({ ...loan, fields: { ...loan.fields, [name]: text } });
  return (
    <form
      class="loan-form no-print"
      aria-label={t('terms')}
      onSubmit={(event) => event.preventDefault()}
      noValidate
    >
      {GROUPS.map((group) => {
        const fields = LOAN_FIELDS.filter((field) => field.group === group);
        const isUsed = fields.some(({ name }) => (loan.fields[name] ?? '') !== '');
        return (
          <Section
            key={group}
            title={groupText(group)}
            isOpen={OPEN_GROUPS.has(group) || (isUsed && group !== 'dates')}
            hasFault={fields.some(({ name }) => faults[name] !== undefined)}
          >
            <div class="loan-fields">
              {fields.map((field) => (
                <LoanInput
                  key={field.name}
                  field={field}
                  name={field.name}
                  value={loan.fields[field.name] ?? ''}
                  error={faults[field.name]}
                  onChange={(text) => setField(field.name, text)}
                />
              ))}
            </div>
            {group === 'charges' && (
              <>
                <Charges list="commissions" loan={loan} onChange={onChange} faults={faults} />
                <Charges list="insurances" loan={loan} onChange={onChange} faults={faults} />
              </>
            )}
          </Section>
        );
      })}
      <Section
        title={t('extraPayments')}
        isOpen={loan.extraPayments.length > 0}
        hasFault={Object.keys(faults).some((place) => place.startsWith('extraPayments'))}
      >
        <ExtraPayments loan={loan} onChange={onChange} faults={faults} />
      </Section>
    </form>
  );
}

/** A group of fields that opens for a fault, and closes only by hand. */
function Section(props: { title: string; isOpen: boolean; hasFault: boolean; children: ComponentChildren }) {
  const [isOpen, setOpen] = useState(props.isOpen);
  useEffect(() => {
    if (props.hasFault) setOpen(true);
  }, [props.hasFault]);
  return (
    <details class="card card-tight" open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <h2>{props.title}</h2>
      </summary>
      <div class="stack">{props.children}</div>
    </details>
  );
}

interface InputProps {
  readonly field: LoanField;
  readonly name: LoanFieldName;
  readonly value: string;
  readonly error: string | undefined;
  readonly onChange: (text: string) => void;
}

function LoanInput({ field, name, value, error, onChange }: InputProps) {
  const { kind, choices = [], slider } = field;
  const label = fieldText(name);
  const help = helpText(name);
  if (kind === 'flag') {
    return (
      <label class="check loan-check">
        <input
          type="checkbox"
          checked={value === 'true'}
          onChange={(event) => onChange(event.currentTarget.checked ? 'true' : '')}
        />
        <span>{label}</span>
      </label>
    );
  }
  return (
    <Field label={label} error={error} {...(help === '' ? {} : { hint: help })}>
      {(control) => (
        <>
          {kind === 'choice' ? (
            <Choice control={control} choices={choices} value={value} onChange={onChange} />
          ) : (
            <input
              {...control}
              class={kind === 'date' || kind === 'text' ? 'input' : 'input input-number'}
              {...(kind === 'date' ? DATE_INPUT : TEXT_INPUT)}
              inputmode={kind === 'count' ? 'numeric' : kind === 'text' ? 'text' : 'decimal'}
              autocomplete="off"
              maxLength={64}
              value={value}
              onInput={(event) => onChange(event.currentTarget.value)}
            />
          )}
          {slider !== undefined && <Slider label={label} range={slider} value={value} onChange={onChange} />}
        </>
      )}
    </Field>
  );
}

function Slider(props: {
  label: string;
  range: readonly [number, number, number];
  value: string;
  onChange: (text: string) => void;
}) {
  const [lowest, highest, step] = props.range;
  return (
    <input
      type="range"
      aria-label={t('slider', { field: props.label })}
      min={lowest}
      max={highest}
      step={step}
      value={Number(props.value) || lowest}
      onInput={(event) => props.onChange(event.currentTarget.value)}
    />
  );
}

function Choice(props: {
  control: Readonly<Record<string, unknown>>;
  choices: readonly string[];
  value: string;
  onChange: (text: string) => void;
}) {
  const { choices, value } = props;
  // A link may contain another value, which the engine judges.
  const all = choices.includes(value) ? choices : [...choices, value];
  return (
    <select
      {...props.control}
      class="input"
      value={value}
      onChange={(event) => props.onChange(event.currentTarget.value)}
    >
      {all.map((choice) => (
        <option key={choice} value={choice}>
          {choiceText(choice)}
        </option>
      ))}
    </select>
  );
}

function Charges({ list, loan, onChange, faults }: FormProps & { list: 'commissions' | 'insurances' }) {
  const charges = loan[list];
  const text = list === 'commissions' ? 'commission' : 'insurance';
  const set = (changed: readonly Charge[]): void => onChange({ ...loan, [list]: changed });
  const add = (): void => {
    const name = t(text, { number: charges.length + 1 });
    set([...charges, { name, amount: '5', unit: 'value', periodicity: 'Monthly', date: '' }]);
  };
  return (
    <>
      {charges.map((charge, index) => (
        <Item
          key={index}
          name={t(text, { number: index + 1 })}
          onRemove={() => set(charges.filter((_, at) => at !== index))}
        >
          <ChargeFields
            charge={charge}
            errorOf={(field) => faults[`${list}[${index}].${field}`]}
            onChange={(changes) =>
              set(charges.map((one, at) => (at === index ? { ...one, ...changes } : one)))
            }
          />
        </Item>
      ))}
      <div>
        <Button small onClick={add}>
          {t(list === 'commissions' ? 'addCommission' : 'addInsurance')}
        </Button>
      </div>
    </>
  );
}

function Item(props: { name: string; onRemove: () => void; children: ComponentChildren }) {
  return (
    <fieldset class="loan-item">
      <legend>{props.name}</legend>
      <div class="loan-fields">{props.children}</div>
      <Button kind="quiet" small onClick={props.onRemove}>
        {t('remove')}
        <span class="visually-hidden"> {props.name}</span>
      </Button>
    </fieldset>
  );
}

function ChargeFields(props: {
  charge: Charge;
  errorOf: (field: string) => string | undefined;
  onChange: (changes: Partial<Charge>) => void;
}) {
  const { charge, errorOf, onChange } = props;
  return (
    <>
      <TextField
        label={t('name')}
        value={charge.name}
        error={errorOf('name')}
        onChange={(name) => onChange({ name })}
      />
      <Field label={t('periodicity')} error={errorOf('periodicity')}>
        {(control) => (
          <Choice
            control={control}
            choices={PERIODICITIES}
            value={charge.periodicity}
            onChange={(periodicity) => onChange({ periodicity })}
          />
        )}
      </Field>
      <TextField
        label={t('amount')}
        value={charge.amount}
        error={errorOf('amount')}
        isNumber
        onChange={(amount) => onChange({ amount })}
      />
      <Field label={t('unit')}>
        {(control) => (
          <select
            {...control}
            class="input"
            value={charge.unit}
            onChange={({ currentTarget: { value } }) =>
              onChange({ unit: value === 'percent' ? 'percent' : 'value' })
            }
          >
            <option value="value">{t('byValue')}</option>
            <option value="percent">{t('byPercent')}</option>
          </select>
        )}
      </Field>
      <TextField
        label={t('from')}
        hint={t('fromHint')}
        value={charge.date}
        error={errorOf('date')}
        isDate
        onChange={(date) => onChange({ date })}
      />
    </>
  );
}

function ExtraPayments({ loan, onChange, faults }: FormProps) {
  const { extraPayments } = loan;
  const set = (changed: readonly ExtraPayment[]): void => onChange({ ...loan, extraPayments: changed });
  const highest = Number(loan.fields.Amount) || 1;
  const add = (): void => {
    const date = oneYearAfter(loan.fields.ActivationDate ?? '');
    set([...extraPayments, { date, amount: String(Math.round(highest / 10)), keepsTerm: true }]);
  };
  return (
    <div class="stack">
      {extraPayments.map((payment, index) => (
        <Item
          key={index}
          name={t('extra', { number: index + 1 })}
          onRemove={() => set(extraPayments.filter((_, at) => at !== index))}
        >
          <ExtraPaymentFields
            payment={payment}
            name={t('extra', { number: index + 1 })}
            highest={highest}
            errorOf={(field) => faults[`extraPayments[${index}].${field}`]}
            onChange={(changes) =>
              set(extraPayments.map((one, at) => (at === index ? { ...one, ...changes } : one)))
            }
          />
        </Item>
      ))}
      <div>
        <Button small onClick={add}>
          {t('addExtra')}
        </Button>
      </div>
    </div>
  );
}

function ExtraPaymentFields(props: {
  payment: ExtraPayment;
  name: string;
  highest: number;
  errorOf: (field: string) => string | undefined;
  onChange: (changes: Partial<ExtraPayment>) => void;
}) {
  const { payment, name, highest, errorOf, onChange } = props;
  return (
    <>
      <div class="stack-tight">
        <TextField
          label={t('amount')}
          value={payment.amount}
          error={errorOf('amount')}
          isNumber
          onChange={(amount) => onChange({ amount })}
        />
        <Slider
          label={name}
          range={[0, highest, Math.max(1, Math.round(highest / 100))]}
          value={payment.amount}
          onChange={(amount) => onChange({ amount })}
        />
      </div>
      <TextField
        label={t('date')}
        value={payment.date}
        error={errorOf('date')}
        isDate
        onChange={(date) => onChange({ date })}
      />
      <Field label={t('effect')}>
        {(control) => (
          <select
            {...control}
            class="input"
            value={payment.keepsTerm ? 'term' : 'payment'}
            onChange={(event) => onChange({ keepsTerm: event.currentTarget.value === 'term' })}
          >
            <option value="term">{t('keepsTerm')}</option>
            <option value="payment">{t('keepsPayment')}</option>
          </select>
        )}
      </Field>
    </>
  );
}

function oneYearAfter(date: string): string {
  return date === '' ? '' : `${Number(date.slice(0, 4)) + 1}${date.slice(4).replace('-02-29', '-02-28')}`;
}

function TextField(props: {
  label: string;
  hint?: string;
  value: string;
  error: string | undefined;
  isNumber?: boolean;
  isDate?: boolean;
  onChange: (text: string) => void;
}) {
  return (
    <Field
      label={props.label}
      error={props.error}
      {...(props.hint === undefined ? {} : { hint: props.hint })}
    >
      {(control) => (
        <input
          {...control}
          class={props.isNumber === true ? 'input input-number' : 'input'}
          {...(props.isDate === true ? DATE_INPUT : TEXT_INPUT)}
          inputmode={props.isNumber === true ? 'decimal' : 'text'}
          autocomplete="off"
          maxLength={128}
          value={props.value}
          onInput={(event) => props.onChange(event.currentTarget.value)}
        />
      )}
    </Field>
  );
}
