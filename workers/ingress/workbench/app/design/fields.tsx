import type { ComponentChildren, FormHTMLAttributes } from 'preact';
import { useId } from 'preact/hooks';
import { classes } from './table.tsx';

export interface ControlProps {
  readonly id: string;
  readonly 'aria-describedby': string | undefined;
  readonly 'aria-invalid': boolean | undefined;
}

/** A form that calls `onSubmit` instead of sending its values. */
export function Form({
  onSubmit,
  ...rest
}: Omit<FormHTMLAttributes, 'onSubmit'> & { onSubmit?: () => void }) {
  const submit = (event: Event): void => {
    event.preventDefault();
    onSubmit?.();
  };
  return <form {...rest} onSubmit={submit} />;
}

interface Labelled {
  readonly label: string;
  readonly hint?: ComponentChildren;
  readonly error?: ComponentChildren;
}

interface FieldProps extends Labelled {
  readonly help?: ComponentChildren;
  readonly class?: string | undefined;
  /** The place by which `focusPlace` finds the field. */
  readonly place?: string;
  readonly children: (control: ControlProps) => ComponentChildren;
}

export function Field({ label, hint, error, help, class: className, place, children }: FieldProps) {
  const id = useId();
  const notes = Object.entries({ error, hint, help }).filter(([, note]) => note !== undefined);
  return (
    <div class={classes('field', className)} data-place={place}>
      <label class="field-label" for={id}>
        {label}
      </label>
      <div class="field">
        {children({
          id,
          'aria-describedby': notes.map(([name]) => `${id}-${name}`).join(' ') || undefined,
          'aria-invalid': error === undefined ? undefined : true,
        })}
        {notes.map(([name, note]) => (
          <span key={name} class={`field-${name}`} id={`${id}-${name}`}>
            {note}
          </span>
        ))}
      </div>
    </div>
  );
}

interface Entered {
  readonly value: string;
  readonly onChange: (value: string) => void;
}

type Control = Partial<ControlProps> & { readonly 'aria-label'?: string };

interface InputProps extends Entered {
  readonly control: Control;
  readonly inputMode?: 'text' | 'decimal' | 'numeric';
  readonly type?: 'text' | 'search' | 'date' | 'datetime-local';
  readonly maxLength?: number | undefined;
}

export function Input(props: InputProps) {
  const { control, value, onChange, maxLength = 300, inputMode = 'text', type = 'text' } = props;
  return (
    <input
      {...control}
      inputMode={inputMode}
      type={type}
      // Preact's types need this attribute to accept an input whose `type` is a variable.
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

export function Select<Value extends string>(props: {
  control: Control;
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
