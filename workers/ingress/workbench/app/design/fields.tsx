/** The fields of forms: a control of each kind with its label, hint and error. */
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

interface Labelled {
  readonly label: string;
  readonly hint?: ComponentChildren;
  readonly error?: string | undefined;
}

interface FieldProps extends Labelled {
  /** Receives the attributes that tie the control to label, hint and error. */
  readonly children: (control: {
    readonly id: string;
    readonly 'aria-describedby': string | undefined;
    readonly 'aria-invalid': boolean | undefined;
  }) => ComponentChildren;
}
/** A control with its label, hint and error. */
export function Field({ label, hint, error, children }: FieldProps) {
  const id = useId();
  const described = [hint === undefined ? '' : `${id}-hint`, error === undefined ? '' : `${id}-error`];
  const describedBy = described.filter(Boolean).join(' ');
  return (
    <div class="field">
      <label class="field-label" for={id}>
        {label}
      </label>
      {children({
        id,
        'aria-describedby': describedBy === '' ? undefined : describedBy,
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
    </div>
  );
}

interface Entered extends Labelled {
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** A text in one line, or a number as it is entered. */
export function TextField(
  props: Entered & {
    isNumber?: boolean;
    type?: 'search' | 'date' | 'datetime-local';
    maxLength?: number;
    /** Id of the list of values that are proposed. */
    list?: string;
  },
) {
  const { label, hint, error, value, onChange, isNumber = false, ...rest } = props;
  return (
    <Field {...{ label, hint, error }}>
      {(control) => (
        <input
          {...control}
          class={isNumber ? 'input input-number' : 'input'}
          {...(isNumber ? { inputMode: 'decimal' } : {})}
          maxLength={300}
          spellcheck={false}
          autocomplete="off"
          {...rest}
          value={value}
          onInput={(event) => onChange(event.currentTarget.value)}
        />
      )}
    </Field>
  );
}

/** A text of several lines. */
export function LinesField(props: Entered & { rows: number; isCode?: boolean }) {
  const { label, hint, error, value, rows, onChange, isCode = false } = props;
  return (
    <Field {...{ label, hint, error }}>
      {(control) => (
        <textarea
          {...control}
          class={isCode ? 'input code-input' : 'input'}
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

/** One of several values. */
export function ChoiceField(
  props: Entered & { options: readonly (readonly [value: string, label: string])[] },
) {
  const { label, hint, error, value, options, onChange } = props;
  return (
    <Field {...{ label, hint, error }}>
      {(control) => (
        <select
          {...control}
          class="input"
          value={value}
          onChange={(event) => onChange(event.currentTarget.value)}
        >
          {options.map(([one, text]) => (
            <option key={one} value={one} selected={one === value}>
              {text}
            </option>
          ))}
        </select>
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
