import { useRef, useState } from 'preact/hooks';
import { Field, Input, Select, type ControlProps } from '../design/fields.tsx';
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
  const [isOpened, setOpened] = useState(false);
  const label = fieldText(field.name, list);
  return (
    <Field
      label={label}
      class={note?.isIgnored === true ? 'loan-field-ignored' : undefined}
      place={place}
      error={fault && <span lang={fault.lang}>{fault.text}</span>}
      hint={[note?.text, hint].filter(Boolean).join(' ') || undefined}
      help={{
        label: t('help', { field: label }),
        text: <Help field={field} list={list} />,
        isShown: props.isExplained || isOpened,
        onToggle: () => setOpened(!isOpened),
      }}
    >
      {(control) => (
        <>
          <Control field={field} control={control} label={label} value={value} onChange={onChange} />
          {slider !== undefined && (
            <Slider {...{ label, value, onChange }} range={slider} number={props.number} />
          )}
        </>
      )}
    </Field>
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

/** The known values of a text, and a field for another one where there may be others. */
function Choice(props: KindProps & { choices: readonly string[] }) {
  const { field, choices, control, label, value, onChange } = props;
  const { isOpen = false, isRequired, maxLength } = field;
  const isKnown = value === '' || choices.includes(value);
  const [isOther, setOther] = useState(isOpen && !isKnown);
  const named = choices.map((choice) => [choice, choiceText(choice)] as const);
  // Of two spellings of the same, the first, or the one that is chosen.
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

/** Bounds beyond this are limits of the engine rather than of a loan. */
const NOTABLE = 1_000_000;

/** The bounds of a number that has two; empty where the text names them. */
function rangeOf({ minimum, maximum }: FormField, text: string): string {
  const isBounded = minimum !== undefined && maximum !== undefined && maximum < NOTABLE;
  if (!isBounded || text.includes(String(maximum))) return '';
  return `${formatNumber(minimum)} – ${formatNumber(maximum)}`;
}
