import { useId, useRef, useState } from 'preact/hooks';
import { formatEntry, formatNumber } from '../format.ts';
import { choiceText, fieldText, flagText, helpText } from './field-texts.ts';
import type { FormField } from './form-field.ts';
import type { PlacedFault, PlacedNote } from './remarks.ts';
import { t } from './texts.ts';

interface FieldInputProps {
  readonly field: FormField;
  /** The list of an item; empty for a field of the loan. */
  readonly list: string;
  readonly place: string;
  readonly value: string;
  /** What the value means; undefined if it is no number. */
  readonly number: number | undefined;
  readonly fault: PlacedFault | undefined;
  readonly note: PlacedNote | undefined;
  readonly slider: readonly [lowest: number, highest: number, step: number] | undefined;
  /** Always shown. */
  readonly hint: string;
  readonly isExplained: boolean;
  readonly onChange: (text: string) => void;
}

/** A field of any kind: label, help, control, slider, fault and note. */
export function FieldInput(props: FieldInputProps) {
  const { field, list, place, value, fault, note, slider, hint, onChange } = props;
  const id = useId();
  const [isOpened, setOpened] = useState(false);
  const isExplained = props.isExplained || isOpened;
  const label = fieldText(field.name, list);
  const described = [
    fault === undefined ? '' : `${id}-fault`,
    note === undefined ? '' : `${id}-note`,
    hint === '' ? '' : `${id}-hint`,
    `${id}-help`,
  ];
  const control: ControlProps = {
    id,
    'aria-describedby': described.filter(Boolean).join(' '),
    'aria-invalid': fault === undefined ? undefined : true,
  };
  return (
    <div class={note?.isIgnored === true ? 'field loan-field-ignored' : 'field'} data-place={place}>
      <div class="loan-label">
        <label class="field-label" for={id}>
          {label}
        </label>
        <button
          type="button"
          class="help-button"
          aria-label={t('help', { field: label })}
          aria-expanded={isExplained}
          aria-controls={`${id}-help`}
          // The button above all fields does the same by keyboard, with one stop instead of many.
          tabIndex={-1}
          onClick={() => setOpened(!isOpened)}
        >
          <span aria-hidden="true">?</span>
        </button>
      </div>
      <div class="loan-control">
        <Control field={field} control={control} label={label} value={value} onChange={onChange} />
        {slider !== undefined && (
          <Slider {...{ label, value, onChange }} range={slider} number={props.number} />
        )}
        {fault !== undefined && (
          <span class="field-error" id={`${id}-fault`} lang={fault.lang}>
            {fault.text}
          </span>
        )}
        {note !== undefined && (
          <span class="field-hint" id={`${id}-note`}>
            {note.text}
          </span>
        )}
        {hint !== '' && (
          <span class="field-hint" id={`${id}-hint`}>
            {hint}
          </span>
        )}
        <Help id={`${id}-help`} field={field} list={list} isHidden={!isExplained} />
      </div>
    </div>
  );
}

interface ControlProps {
  readonly id: string;
  readonly 'aria-describedby': string;
  readonly 'aria-invalid': boolean | undefined;
}

function Control(props: {
  field: FormField;
  control: ControlProps;
  label: string;
  value: string;
  onChange: (text: string) => void;
}) {
  const { field, control, value, onChange } = props;
  const { kind, choices } = field;
  if (kind === 'flag' || kind === 'numeric-flag') {
    return (
      <select
        {...control}
        class="input"
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
      >
        <option value="">{t('none')}</option>
        <option value="true">{flagText(field.name, true)}</option>
        <option value="false">{flagText(field.name, false)}</option>
      </select>
    );
  }
  if (choices !== undefined) return <Choice {...props} choices={choices} />;
  const isNumber = kind === 'number' || kind === 'whole';
  return (
    <input
      {...control}
      class={isNumber ? 'input input-number' : 'input'}
      {...(kind === 'date' ? DATE_INPUT : TEXT_INPUT)}
      inputmode={kind === 'number' ? 'decimal' : kind === 'whole' ? 'numeric' : 'text'}
      autocomplete="off"
      maxLength={field.maxLength ?? MAX_NUMBER_LENGTH}
      value={value}
      onInput={(event) => onChange(event.currentTarget.value)}
    />
  );
}

const MAX_NUMBER_LENGTH = 64;
const DATE_INPUT = { type: 'date' } as const;
const TEXT_INPUT = { type: 'text' } as const;
const OTHER = '\u0000other';

/** The known values of a text, and a field for another one where there may be others. */
function Choice(props: {
  field: FormField;
  choices: readonly string[];
  control: ControlProps;
  label: string;
  value: string;
  onChange: (text: string) => void;
}) {
  const { field, choices, control, label, value, onChange } = props;
  const { isOpen = false, isRequired, maxLength } = field;
  const isKnown = value === '' || choices.includes(value);
  const [isOther, setOther] = useState(isOpen && !isKnown);
  const named = choices.map((choice) => ({ choice, name: choiceText(choice) }));
  // Of two spellings of the same, the first, or the one that is chosen.
  const shown = named.filter(
    ({ choice, name }, at) =>
      choice === value || (named.findIndex((one) => one.name === name) === at && name !== choiceText(value)),
  );
  const choose = (chosen: string): void => {
    setOther(chosen === OTHER);
    onChange(chosen === OTHER ? '' : chosen);
  };
  return (
    <>
      <select
        {...control}
        class="input"
        value={isOther ? OTHER : value}
        onChange={(event) => choose(event.currentTarget.value)}
      >
        {(!isRequired || value === '') && <option value="">{t('none')}</option>}
        {shown.map(({ choice, name }) => (
          <option key={choice} value={choice}>
            {name}
          </option>
        ))}
        {!isKnown && !isOther && <option value={value}>{value}</option>}
        {isOpen && <option value={OTHER}>{t('otherValue')}</option>}
      </select>
      {isOther && (
        <input
          class="input"
          aria-label={t('otherName', { field: label })}
          aria-describedby={control['aria-describedby']}
          aria-invalid={control['aria-invalid']}
          autocomplete="off"
          maxLength={maxLength}
          value={value}
          onInput={(event) => onChange(event.currentTarget.value)}
        />
      )}
    </>
  );
}

/** A slider whose range fits a value that is entered elsewhere, and does not change while it is moved. */
function Slider(props: {
  label: string;
  range: readonly [lowest: number, highest: number, step: number];
  value: string;
  number: number | undefined;
  onChange: (text: string) => void;
}) {
  const [lowest, highest, step] = props.range;
  const value = props.number ?? lowest;
  const moved = useRef<string>(undefined);
  const reach = useRef(highest);
  if (props.value !== moved.current) reach.current = highest;
  while (reach.current < value && reach.current > 0) reach.current *= GROWTH;
  return (
    <input
      type="range"
      aria-label={t('slider', { field: props.label })}
      min={lowest}
      max={Math.max(highest, reach.current)}
      step={step}
      value={value}
      onInput={(event) => {
        moved.current = formatEntry(event.currentTarget.value);
        props.onChange(moved.current);
      }}
    />
  );
}

const GROWTH = 5;

/** The description of the field, what is allowed, and its name in the interface. */
function Help(props: { id: string; field: FormField; list: string; isHidden: boolean }) {
  const { id, field, list, isHidden } = props;
  const { text, lang } = helpText(field, list);
  const range = rangeOf(field, text);
  return (
    <span class="loan-help" id={id} hidden={isHidden}>
      <span lang={lang}>{text}</span> {range !== '' && <span>{t('allowed', { range })} </span>}
      <code>{field.name}</code>
    </span>
  );
}

/** Bounds beyond this are limits of the engine rather than of a loan. */
const NOTABLE = 1_000_000;

/** The bounds of a number that has two; empty where the text names them. */
function rangeOf({ minimum, maximum }: FormField, text: string): string {
  const isBounded = minimum !== undefined && maximum !== undefined && maximum < NOTABLE;
  if (!isBounded || text.includes(String(maximum))) return '';
  return `${formatNumber(minimum)} – ${formatNumber(maximum)}`;
}
