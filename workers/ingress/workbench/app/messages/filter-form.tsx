import { useState } from 'preact/hooks';
import { Button, Field } from '../design/components.tsx';
import type { LetterFilters } from './operations-api.ts';
import { t } from './texts.ts';

const WORKERS = ['notification', 'schedule', 'product', 'simulation'];
const TYPES = [
  'SendSmsCommand',
  'SendEmailCommand',
  'CalculateRepaymentScheduleRequest',
  'CalculatePMTRequest',
  'CalculateRateRequest',
  'SimulateRequest',
];
const NO_FILTERS: LetterFilters = {
  topic: '',
  channel: '',
  code: '',
  type: '',
  since: '',
  until: '',
  id: '',
  all: false,
};

interface FilterFormProps {
  readonly filters: LetterFilters;
  readonly onFilter: (filters: LetterFilters) => void;
}

type Change = (changed: Partial<LetterFilters>) => void;

/** The filters of dead letters; they take effect together. */
export function FilterForm({ filters, onFilter }: FilterFormProps) {
  const [draft, setDraft] = useState(filters);
  const change: Change = (changed) => setDraft({ ...draft, ...changed });
  return (
    <form
      class="card card-tight stack"
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        onFilter({ ...draft, code: draft.code.trim(), type: draft.type.trim() });
      }}
    >
      <div class="fields fields-dense">
        <ChoiceField
          label={t('worker')}
          value={draft.topic}
          options={WORKERS.map((name) => [name, name])}
          onChange={(topic) => change({ topic })}
        />
        <ChoiceField
          label={t('channel')}
          value={draft.channel}
          options={[
            ['sms', t('sms')],
            ['email', t('email')],
          ]}
          onChange={(channel) => change({ channel })}
        />
        <TextField label={t('code')} hint={t('codeHint')} name="code" draft={draft} onChange={change} />
        <TextField
          label={t('type')}
          name="type"
          draft={draft}
          onChange={change}
          attributes={{ list: 'letter-types' }}
        />
        <TextField label={t('since')} name="since" draft={draft} onChange={change} attributes={MOMENT} />
        <TextField label={t('until')} name="until" draft={draft} onChange={change} attributes={MOMENT} />
      </div>
      <TypeNames />
      <div class="row">
        <button class="button button-primary" type="submit">
          {t('filter')}
        </button>
        <Button kind="quiet" onClick={() => onFilter(NO_FILTERS)}>
          {t('clear')}
        </Button>
        <label class="check">
          <input
            type="checkbox"
            checked={draft.all}
            onChange={(event) => change({ all: event.currentTarget.checked })}
          />
          {t('showHandled')}
        </label>
      </div>
    </form>
  );
}

function TypeNames() {
  return (
    <datalist id="letter-types">
      {TYPES.map((name) => (
        <option key={name} value={name} />
      ))}
    </datalist>
  );
}

const MOMENT = { type: 'datetime-local' } as const;

function TextField(props: {
  label: string;
  hint?: string;
  name: 'code' | 'type' | 'since' | 'until';
  draft: LetterFilters;
  onChange: Change;
  attributes?: { readonly type?: 'datetime-local'; readonly list?: string };
}) {
  const { label, hint, name, draft, onChange, attributes = {} } = props;
  return (
    <Field label={label} hint={hint}>
      {(control) => (
        <input
          {...control}
          {...attributes}
          class="input"
          maxLength={300}
          spellcheck={false}
          value={draft[name]}
          onInput={(event) => onChange({ [name]: event.currentTarget.value })}
        />
      )}
    </Field>
  );
}

function ChoiceField(props: {
  label: string;
  value: string;
  options: readonly (readonly [string, string])[];
  onChange: (value: string) => void;
}) {
  return (
    <Field label={props.label}>
      {(control) => (
        <select
          {...control}
          class="input"
          value={props.value}
          onChange={(event) => props.onChange(event.currentTarget.value)}
        >
          <option value="">{t('any')}</option>
          {props.options.map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}
