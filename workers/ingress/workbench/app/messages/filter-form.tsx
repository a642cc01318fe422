import { useState } from 'preact/hooks';
import { Button } from '../design/components.tsx';
import { Check, ChoiceField, TextField } from '../design/fields.tsx';
import { NO_FILTERS, type LetterFilters } from './operations-api.ts';
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

/** The filters of dead letters; they take effect together. */
export function FilterForm(props: { filters: LetterFilters; onFilter: (filters: LetterFilters) => void }) {
  const [draft, setDraft] = useState(props.filters);
  const field = (name: Exclude<keyof LetterFilters, 'id' | 'all'>) => ({
    label: t(name),
    value: draft[name],
    onChange: (value: string) => setDraft({ ...draft, [name]: value }),
  });
  return (
    <form
      class="card card-tight stack"
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        props.onFilter({ ...draft, code: draft.code.trim(), type: draft.type.trim() });
      }}
    >
      <div class="columns" style="--least: 16rem">
        <ChoiceField
          {...field('topic')}
          options={[['', t('any')], ...WORKERS.map((name) => [name, name] as const)]}
        />
        <ChoiceField
          {...field('channel')}
          options={[
            ['', t('any')],
            ['sms', t('sms')],
            ['email', t('email')],
          ]}
        />
        <TextField {...field('code')} hint={t('codeHint')} />
        <TextField {...field('type')} list="letter-types" />
        <TextField {...field('since')} type="datetime-local" />
        <TextField {...field('until')} type="datetime-local" />
      </div>
      <datalist id="letter-types">
        {TYPES.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <div class="row">
        <Button kind="primary" type="submit">
          {t('filter')}
        </Button>
        <Button kind="quiet" onClick={() => props.onFilter(NO_FILTERS)}>
          {t('clear')}
        </Button>
        <Check label={t('showHandled')} checked={draft.all} onChange={(all) => setDraft({ ...draft, all })} />
      </div>
    </form>
  );
}
