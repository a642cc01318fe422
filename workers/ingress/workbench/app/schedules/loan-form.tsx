import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Button } from '../design/components.tsx';
import { groupSign } from '../format.ts';
import { FROM_START, groupFields, groupItemFields, SLIDERS, type GroupName } from './field-groups.ts';
import { FieldInput } from './field-input.tsx';
import { addText, fieldText, helpText, itemText } from './field-texts.ts';
import type { FormField } from './form-field.ts';
import { addItem, entryOf, itemsOf, listValues, readField, type Loan, type Values } from './loan.ts';
import type { PlacedFault, PlacedNote } from './remarks.ts';
import { groupText, t } from './texts.ts';

interface LoanFormProps {
  readonly form: readonly FormField[];
  readonly loan: Loan;
  readonly onChange: (loan: Loan) => void;
  /** By places such as `Amount`, `Commission` or `Commission[0].FeeDate`. */
  readonly faults: Readonly<Record<string, PlacedFault>>;
  readonly notes: Readonly<Record<string, PlacedNote>>;
  /** Shows the help of all fields. */
  readonly isExplained: boolean;
}

/** Groups that are open at first; others are if they contain a value. */
const OPEN_GROUPS: ReadonlySet<GroupName> = new Set(['loan', 'rate']);
/** Groups of which every loan has values, so that these are no reason to open them. */
const CLOSED_GROUPS: ReadonlySet<GroupName> = new Set(['dates']);
const PART_OF_LOAN = 0.01;

/** All terms of a loan, by group. */
export function LoanForm(props: LoanFormProps) {
  const { form, loan } = props;
  const places = listValues(loan, form).map(({ place }) => place);
  return (
    <form
      class="loan-form no-print"
      aria-label={t('terms')}
      onSubmit={(event) => event.preventDefault()}
      noValidate
    >
      {groupFields(form).map(({ name, main, more }) => {
        const [count, moreCount] = [countIn(places, [...main, ...more]), countIn(places, more)];
        return (
          <Fold
            key={name}
            isGroup
            title={groupText(name)}
            count={count}
            isOpen={OPEN_GROUPS.has(name) || (count > 0 && !CLOSED_GROUPS.has(name))}
            hasFault={hasFaultIn(props.faults, [...main, ...more])}
          >
            {name === 'response' && <p class="small soft">{t('responseNote')}</p>}
            <LoanFields {...props} fields={main} />
            {more.length > 0 && (
              <Fold
                title={t('more')}
                count={moreCount}
                isOpen={moreCount > 0}
                hasFault={hasFaultIn(props.faults, more)}
              >
                <LoanFields {...props} fields={more} />
              </Fold>
            )}
          </Fold>
        );
      })}
    </form>
  );
}

/** Opens the groups around a place and moves the focus to its control. */
export function focusPlace(place: string): void {
  const found = document.querySelector<HTMLElement>(`[data-place="${CSS.escape(place)}"]`);
  for (let fold = found?.closest('details'); fold instanceof HTMLDetailsElement;) {
    fold.open = true;
    fold = fold.parentElement?.closest('details');
  }
  const control = found?.querySelector<HTMLElement>('input, select') ?? found?.querySelector('button');
  control?.focus();
}

/** The name before the first bracket or point: `Commission` of `Commission[0].FeeDate`. */
const topOf = (place: string): string => place.split('[', 1)[0] ?? '';

function countIn(places: readonly string[], fields: readonly FormField[]): number {
  return places.filter((place) => fields.some(({ name }) => name === topOf(place))).length;
}

function hasFaultIn(faults: LoanFormProps['faults'], fields: readonly FormField[]): boolean {
  return countIn(Object.keys(faults), fields) > 0;
}

/** Fields that open for a fault, and close only by hand. */
function Fold(props: {
  title: string;
  isGroup?: boolean;
  count: number;
  isOpen: boolean;
  hasFault: boolean;
  children: ComponentChildren;
}) {
  const { title, isGroup = false, count, hasFault, children } = props;
  const [isOpen, setOpen] = useState(props.isOpen);
  // Fields that nobody has seen are not made: they would take half of the time until the form can be used.
  const wasOpen = useRef(isOpen);
  wasOpen.current ||= isOpen;
  useEffect(() => {
    if (hasFault) setOpen(true);
  }, [hasFault]);
  return (
    <details
      class={isGroup ? 'card loan-group' : 'loan-more'}
      open={isOpen}
      onToggle={(event) => setOpen(event.currentTarget.open)}
    >
      <summary>
        {isGroup ? <h2>{title}</h2> : <span>{title}</span>}
        {count > 0 && <span class="small soft">{t('values', { count })}</span>}
      </summary>
      {wasOpen.current && <div class="stack">{children}</div>}
    </details>
  );
}

/** Single fields side by side, and lists below each other, in the order of the group. */
function LoanFields(props: LoanFormProps & { fields: readonly FormField[] }) {
  const { fields, loan, onChange } = props;
  const single = fields.filter(({ kind }) => kind !== 'list');
  const lists = fields.filter(({ kind }) => kind === 'list');
  return (
    <>
      {single.length > 0 && (
        <Fields
          {...props}
          fields={single}
          list=""
          prefix=""
          values={loan.fields}
          onValues={(changed) => onChange({ ...loan, fields: changed })}
        />
      )}
      {lists.length > 0 && (
        <div class="row">
          {lists.map((field) => (
            <List key={field.name} {...props} field={field} isNamed={fields.length > 1} />
          ))}
        </div>
      )}
    </>
  );
}

interface FieldsProps extends LoanFormProps {
  readonly fields: readonly FormField[];
  /** The list of an item; empty for fields of the loan. */
  readonly list: string;
  /** Of their places. */
  readonly prefix: string;
  readonly values: Values;
  readonly onValues: (values: Values) => void;
}

function Fields(props: FieldsProps) {
  const { fields, list, prefix, values, onValues, loan, faults, notes, isExplained } = props;
  const entry = entryOf(loan, groupSign());
  const amount = readField(loan.fields['Amount'] ?? '', { name: 'Amount', kind: 'number' }, entry) ?? 0;
  const sliderOf = (name: string) => {
    if (list === '') return SLIDERS[name];
    const isPrepaid = list === 'EarlyRepayments' && name === 'Amount' && amount > 0;
    return isPrepaid ? ([0, amount, Math.max(1, Math.round(amount * PART_OF_LOAN))] as const) : undefined;
  };
  return (
    <div class="loan-fields">
      {fields.map((field) => {
        const { name } = field;
        const value = values[name] ?? '';
        return (
          <FieldInput
            key={name}
            {...{ field, list, value, isExplained }}
            place={prefix + name}
            fault={faults[prefix + name]}
            note={notes[prefix + name]}
            number={readField(value, field, entry)}
            slider={sliderOf(name)}
            hint={FROM_START.has(name) && value === '' ? t('fromHint') : ''}
            onChange={(text) => onValues({ ...values, [name]: text })}
          />
        );
      })}
    </div>
  );
}

function List(props: LoanFormProps & { field: FormField; isNamed: boolean }) {
  const { field, isNamed, loan, onChange, faults, isExplained } = props;
  const { name: list, maxItems = Infinity } = field;
  const { text, lang } = helpText(field);
  const items = itemsOf(loan, list);
  const frame = useRef<HTMLDivElement>(null);
  // Moves the focus to an added item, and after one is removed to the button that adds one.
  const [focus, setFocus] = useState<number | 'add'>();
  useEffect(() => {
    if (focus === undefined) return;
    if (focus === 'add') frame.current?.querySelector<HTMLElement>('.loan-add')?.focus();
    else focusPlace(`${list}[${focus}]`);
    setFocus(undefined);
  }, [focus]);
  const set = (changed: readonly Values[]): void =>
    onChange({ ...loan, lists: { ...loan.lists, [list]: changed } });
  const fault = faults[list];
  return (
    <div class="stack loan-list" data-place={list} ref={frame}>
      {isNamed && items.length > 0 && <h3>{fieldText(list)}</h3>}
      {isExplained && (
        <p class="field-help">
          <span lang={lang}>{text}</span> <code>{list}</code>
        </p>
      )}
      {fault !== undefined && (
        <p class="field-error" lang={fault.lang}>
          {fault.text}
        </p>
      )}
      {items.map((item, index) => (
        <Item
          key={index}
          {...props}
          item={item}
          index={index}
          onRemove={() => {
            set(items.filter((_, at) => at !== index));
            setFocus('add');
          }}
          onItem={(changed) => set(items.map((one, at) => (at === index ? changed : one)))}
        />
      ))}
      {items.length < maxItems && (
        <div>
          <button
            type="button"
            class="button button-small loan-add"
            onClick={() => {
              onChange(addItem(loan, list, itemText(list, items.length)));
              setFocus(items.length);
            }}
          >
            {addText(list)}
          </button>
        </div>
      )}
    </div>
  );
}

function Item(
  props: LoanFormProps & {
    field: FormField;
    item: Values;
    index: number;
    onRemove: () => void;
    onItem: (item: Values) => void;
  },
) {
  const { field, item, index, faults, onRemove, onItem } = props;
  const { name: list } = field;
  const { main, more } = groupItemFields(field);
  const place = `${list}[${index}]`;
  const name = itemText(list, index);
  const isSet = ({ name: part }: FormField): boolean => (item[part] ?? '') !== '';
  const own = { ...props, list, prefix: `${place}.`, values: item, onValues: onItem };
  const moreCount = more.filter(isSet).length;
  return (
    <fieldset class="loan-item" data-place={place}>
      <legend>{name}</legend>
      <Button kind="quiet" small onClick={onRemove}>
        {t('remove')}
        <span class="visually-hidden"> {name}</span>
      </Button>
      <div class="stack">
        {faults[place] !== undefined && (
          <p class="field-error" lang={faults[place].lang}>
            {faults[place].text}
          </p>
        )}
        <Fields {...own} fields={main} />
        {more.length > 0 && (
          <Fold
            title={t('more')}
            count={moreCount}
            isOpen={moreCount > 0}
            hasFault={more.some(({ name: part }) => faults[`${place}.${part}`] !== undefined)}
          >
            <Fields {...own} fields={more} />
          </Fold>
        )}
      </div>
    </fieldset>
  );
}
