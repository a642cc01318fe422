/** The fields of forms: a control of each kind with its label, hint, error and help. */
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { classes } from './table.tsx';

/** The attributes that tie a control to label, hint, error and help. */
export interface ControlProps {
  readonly id: string;
  readonly 'aria-describedby': string | undefined;
  readonly 'aria-invalid': boolean | undefined;
}

interface Labelled {
  readonly label: string;
  readonly hint?: ComponentChildren;
  readonly error?: ComponentChildren;
}

interface FieldProps extends Labelled {
  readonly help?: ComponentChildren;
  readonly class?: string | undefined;
  /** The place that it has in the form. */
  readonly place?: string;
  readonly children: (control: ControlProps) => ComponentChildren;
}

/** A control with its label, hint and error. */
export function Field({ label, hint, error, help, class: className, place, children }: FieldProps) {
  const id = useId();
  const described = Object.entries({ error, hint, help })
    .filter(([, part]) => part !== undefined)
    .map(([name]) => `${id}-${name}`);
  return (
    <div class={classes('field', className)} data-place={place}>
      <label class="field-label" for={id}>
        {label}
      </label>
      <div class="field">
        {children({
          id,
          'aria-describedby': described.join(' ') || undefined,
          'aria-invalid': error === undefined ? undefined : true,
        })}
        {error !== undefined && (
          <span class="field-error" id={`${id}-error`}>
            {error}
          </span>
        )}
        {hint !== undefined && (
          <span class="field-hint" id={`${id}-hint`}>
            {hint}
          </span>
        )}
        {help !== undefined && (
          <span class="field-help" id={`${id}-help`}>
            {help}
          </span>
        )}
      </div>
    </div>
  );
}

interface Entered {
  readonly value: string;
  readonly onChange: (value: string) => void;
}

interface InputProps extends Entered {
  readonly control: Partial<ControlProps> & { readonly 'aria-label'?: string };
  readonly inputMode?: 'text' | 'decimal' | 'numeric';
  readonly type?: 'text' | 'search' | 'date' | 'datetime-local';
  readonly maxLength?: number | undefined;
}

/** A text in one line, or a number as it is entered. */
export function Input(props: InputProps) {
  const { control, value, onChange, maxLength = 300, inputMode = 'text', type = 'text' } = props;
  return (
    <input
      {...control}
      inputMode={inputMode}
      type={type}
      // For the types of preact, which tell elements apart by it.
      list={undefined}
      class={inputMode === 'text' ? 'input' : 'input input-number'}
      maxLength={maxLength}
      spellcheck={false}
      autocomplete="off"
      value={value}
      onInput={(event) => onChange(event.currentTarget.value)}
    />
  );
}

type Options<Value extends string> = readonly (readonly [value: Value, label: string])[];

/** One of several values. */
export function Select<Value extends string>(props: {
  control: Partial<ControlProps> & { readonly 'aria-label'?: string };
  value: Value;
  options: Options<Value>;
  onChange: (value: Value) => void;
}) {
  const { control, value, options, onChange } = props;
  return (
    <select
      {...control}
      class="input"
      value={value}
      onChange={(event) => onChange(event.currentTarget.value as Value)}
    >
      {options.map(([one, text]) => (
        <option key={one} value={one} selected={one === value}>
          {text}
        </option>
      ))}
    </select>
  );
}

export function TextField({ label, hint, error, ...input }: Labelled & Omit<InputProps, 'control'>) {
  return <Field {...{ label, hint, error }}>{(control) => <Input control={control} {...input} />}</Field>;
}

export function ChoiceField(props: Labelled & Entered & { options: Options<string> }) {
  const { label, hint, error, ...select } = props;
  return <Field {...{ label, hint, error }}>{(control) => <Select control={control} {...select} />}</Field>;
}

/** A text of several lines. */
export function LinesField(props: Labelled & Entered & { rows: number; isCode?: boolean }) {
  const { label, hint, error, value, rows, onChange, isCode = false } = props;
  return (
    <Field {...{ label, hint, error }}>
      {(control) => (
        <textarea
          {...control}
          class={isCode ? 'input code-text' : 'input'}
          rows={rows}
          spellcheck={false}
          autocomplete="off"
          value={value}
          onInput={(event) => onChange(event.currentTarget.value)}
        />
      )}
    </Field>
  );
}

/** A box to tick. */
export function Check(props: { label: string; checked: boolean; onChange: (checked: boolean) => void }) {
  return (
    <label class="check">
      <input
        type="checkbox"
        checked={props.checked}
        onChange={(event) => props.onChange(event.currentTarget.checked)}
      />
      {props.label}
    </label>
  );
}
