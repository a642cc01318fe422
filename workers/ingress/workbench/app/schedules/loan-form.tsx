import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Button } from '../design/components.tsx';
import { FROM_START, groupFields, groupItemFields, type GroupName, type FormField } from './loan-fields.ts';
import { NOTABLE_BOUND } from './check-loan.ts';
import { addText, fieldText, helpText, itemText, choiceText, flagText } from './field-texts.ts';
import { addItem, itemsOf, listValues, type Loan, type Values } from './loan.ts';
import type { PlacedFault, PlacedNote } from './remarks.ts';
import { groupText, schedulesText as t } from '../texts.ts';
import { Field, Form, Input, Select, type ControlProps } from '../design/fields.tsx';
import { formatNumber, groupSign } from '../format.ts';

interface LoanFormProps {
  readonly form: readonly FormField[];
  readonly loan: Loan;
  readonly onChange: (loan: Loan) => void;
  /** The keys of `faults` and `notes` are places such as `Amount`, `Commission` or `Commission[0].FeeDate`. */
  readonly faults: Readonly<Record<string, PlacedFault>>;
  readonly notes: Readonly<Record<string, PlacedNote>>;
  readonly isExplained: boolean;
}

/** Groups that are open at first. Other groups are too if they contain a value, except CLOSED_GROUPS. */
const OPEN_GROUPS: ReadonlySet<GroupName> = new Set(['loan', 'rate']);
/** Groups that are closed at first although nearly every loan has values in them. */
const CLOSED_GROUPS: ReadonlySet<GroupName> = new Set(['dates']);

export function LoanForm(props: LoanFormProps) {
  const { form, loan } = props;
  const places = listValues(loan, form).map(({ place }) => place);
  const faulty = Object.keys(props.faults);
  return (
    <Form class="stack loan-form" aria-label={t('terms')} noValidate>
      {groupFields(form).map(({ name, main, more }) => {
        const count = countIn(places, [...main, ...more]);
        return (
          <Fold
            key={name}
            title={groupText(name)}
            count={count}
            isOpen={OPEN_GROUPS.has(name) || (count > 0 && !CLOSED_GROUPS.has(name))}
            hasFault={countIn(faulty, [...main, ...more]) > 0}
          >
            {name === 'response' && <p class="small soft">{t('responseNote')}</p>}
            <LoanFields {...props} fields={main} />
            {more.length > 0 && (
              <Fold count={countIn(places, more)} hasFault={countIn(faulty, more) > 0}>
                <LoanFields {...props} fields={more} />
              </Fold>
            )}
          </Fold>
        );
      })}
    </Form>
  );
}

/** Opens the groups around a place of the form and moves the focus to its control. */
export function focusPlace(place: string): void {
  const found = document.querySelector<HTMLElement>(`[data-place="${CSS.escape(place)}"]`);
  for (let fold = found?.closest('details'); fold instanceof HTMLDetailsElement;) {
    fold.open = true;
    fold = fold.parentElement?.closest('details');
  }
  const control = found?.querySelector<HTMLElement>('input, select') ?? found?.querySelector('button');
  control?.focus();
}

/** Counts the places in these fields: `Commission[0].FeeDate` is in the field `Commission`. */
function countIn(places: readonly string[], fields: readonly FormField[]): number {
  return places.filter((place) => fields.some(({ name }) => name === place.split('[', 1)[0])).length;
}

/** A group, or without `title` the further fields of a group or item. A fault opens it; only the user closes it. */
function Fold(props: {
  title?: string;
  count: number;
  isOpen?: boolean;
  hasFault: boolean;
  children: ComponentChildren;
}) {
  const { title, count, hasFault, children } = props;
  const [isOpen, setOpen] = useState(props.isOpen ?? count > 0);
  // Renders the fields when the fold first opens: rendering all at once would double the time until the form is usable.
  const wasOpen = useRef(isOpen);
  wasOpen.current ||= isOpen;
  useEffect(() => {
    if (hasFault) setOpen(true);
  }, [hasFault]);
  return (
    <details
      class={title === undefined ? 'loan-more' : 'card loan-group'}
      open={isOpen}
      onToggle={(event) => setOpen(event.currentTarget.open)}
    >
      <summary>
        {title === undefined ? <span>{t('more')}</span> : <h2>{title}</h2>}
        {count > 0 && <span class="small soft">{t('values', { count })}</span>}
      </summary>
      {wasOpen.current && <div class="stack">{children}</div>}
    </details>
  );
}

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
  readonly list?: string;
  readonly prefix?: string;
  readonly values: Values;
  readonly onValues: (values: Values) => void;
}

function Fields(props: FieldsProps) {
  const { fields, list = '', prefix = '', values, onValues, faults, notes, isExplained } = props;
  return (
    <div class="loan-fields">
      {fields.map((field) => {
        const { name } = field;
        const [value, fault, note] = [values[name] ?? '', faults[prefix + name], notes[prefix + name]];
        const label = fieldText(name, list);
        const hint = FROM_START.has(name) && value === '' && t('fromHint');
        return (
          <Field
            key={name}
            label={label}
            class={note?.isIgnored === true ? 'loan-field-ignored' : undefined}
            place={prefix + name}
            error={fault && <span lang={fault.lang}>{fault.text}</span>}
            hint={[note?.text, hint].filter(Boolean).join(' ') || undefined}
            help={isExplained ? <Help field={field} list={list} /> : undefined}
          >
            {(control) => (
              <Control
                {...{ field, control, label, value }}
                onChange={(text) => onValues({ ...values, [name]: text })}
              />
            )}
          </Field>
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
  // The focus moves to an item that the user adds, and after a removal to the button that adds an item.
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
        <button
          type="button"
          class="button button-small loan-add"
          onClick={() => {
            onChange(addItem(loan, list, itemText(list, items.length), groupSign()));
            setFocus(items.length);
          }}
        >
          {addText(list)}
        </button>
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
  const own = { ...props, list, prefix: `${place}.`, values: item, onValues: onItem };
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
            count={more.filter(({ name: part }) => (item[part] ?? '') !== '').length}
            hasFault={more.some(({ name: part }) => faults[`${place}.${part}`] !== undefined)}
          >
            <Fields {...own} fields={more} />
          </Fold>
        )}
      </div>
    </fieldset>
  );
}

interface KindProps {
  readonly field: FormField;
  readonly control: ControlProps;
  readonly label: string;
  readonly value: string;
  readonly onChange: (text: string) => void;
}

function Control(props: KindProps) {
  const { field, control, value, onChange } = props;
  const { name, kind, choices, maxLength = MAX_NUMBER_LENGTH } = field;
  if (kind === 'flag' || kind === 'numeric-flag') {
    const options = [
      ['', t('none')],
      ['true', flagText(name, true)],
      ['false', flagText(name, false)],
    ] as const;
    return <Select {...{ control, value, options, onChange }} />;
  }
  if (choices !== undefined) return <Choice {...props} choices={choices} />;
  return (
    <Input
      {...{ control, value, maxLength, onChange }}
      type={kind === 'date' ? 'date' : 'text'}
      inputMode={kind === 'number' ? 'decimal' : kind === 'whole' ? 'numeric' : 'text'}
    />
  );
}

const MAX_NUMBER_LENGTH = 64;
const OTHER = '\u0000other';

function Choice(props: KindProps & { choices: readonly string[] }) {
  const { field, choices, control, label, value, onChange } = props;
  const { isOpen = false, isRequired, maxLength } = field;
  const isKnown = value === '' || choices.includes(value);
  const [isOther, setOther] = useState(isOpen && !isKnown);
  const named = choices.map((choice) => [choice, choiceText(choice)] as const);
  // Of choices with the same name, such as Quarterly and Trimestrial, shows only the chosen one, or else the first.
  const shown = named.filter(
    ([choice, name], at) =>
      choice === value || (named.findIndex(([, one]) => one === name) === at && name !== choiceText(value)),
  );
  const choose = (chosen: string): void => {
    setOther(chosen === OTHER);
    onChange(chosen === OTHER ? '' : chosen);
  };
  const options = [
    ...(!isRequired || value === '' ? [['', t('none')] as const] : []),
    ...shown,
    ...(!isKnown && !isOther ? [[value, value] as const] : []),
    ...(isOpen ? [[OTHER, t('otherValue')] as const] : []),
  ];
  return (
    <>
      <Select {...{ control, options }} value={isOther ? OTHER : value} onChange={choose} />
      {isOther && (
        <Input
          {...{ value, maxLength, onChange }}
          control={{ ...control, id: `${control.id}-other`, 'aria-label': t('otherName', { field: label }) }}
        />
      )}
    </>
  );
}

function Help({ field, list }: { field: FormField; list: string }) {
  const { text, lang } = helpText(field, list);
  const range = rangeOf(field, text);
  return (
    <>
      <span lang={lang}>{text}</span> {range !== '' && <span>{t('allowed', { range })} </span>}
      <code>{field.name}</code>
    </>
  );
}

/** The range of a number; empty if it lacks a bound, or if the maximum is part of `text` or not below NOTABLE_BOUND. */
function rangeOf({ minimum, maximum }: FormField, text: string): string {
  const isBounded = minimum !== undefined && maximum !== undefined && maximum < NOTABLE_BOUND;
  if (!isBounded || text.includes(String(maximum))) return '';
  return `${formatNumber(minimum)} – ${formatNumber(maximum)}`;
}
