import { useEffect, useState } from 'preact/hooks';
import { Badge, Button, Dialog, Failure, Loading, Notice, type Tone } from '../design/components.tsx';
import { Check, TextField } from '../design/fields.tsx';
import { Table } from '../design/table.tsx';
import { formatNumber } from '../format.ts';
import type { Schemas } from '../schemas.ts';
import { EditForm, type LetterEdit } from './edit-form.tsx';
import { actOnLetters, type LetterAction, type Override } from './operations-api.ts';
import { t } from './texts.ts';

/** What an action works on. */
export interface Chosen {
  readonly selection: Schemas['DeadLetterSelection'];
  readonly count: number;
}

interface ActionDialogProps {
  readonly action: LetterAction;
  readonly chosen: Chosen;
  /** `hasActed`: the list is no longer what it was. */
  readonly onClose: (hasActed: boolean) => void;
}

type Results = Schemas['DeadLetterResults']['letters'];
type Outcome =
  | { readonly state: 'working' }
  | { readonly state: 'failed'; readonly error: unknown }
  | { readonly state: 'ready'; readonly reply: Schemas['DeadLetterResults'] };

/** Dead letters of one action. */
export const MAX_AT_ONCE = 500;
const OVERRIDES: readonly Override[] = ['again', 'force', 'acceptDuplicates'];

/** An action in steps: the edit, if it is one; a dry run with its guards; the reason; and the result. */
export function ActionDialog({ action, chosen, onClose }: ActionDialogProps) {
  const [edit, setEdit] = useState<LetterEdit>();
  const [isEditing, setIsEditing] = useState(action === 'edit');
  const [result, setResult] = useState<Schemas['DeadLetterResults']>();
  return (
    <Dialog title={t(action)} onClose={() => onClose(result !== undefined)}>
      {isEditing && (
        <EditForm
          edit={edit}
          onPreview={(next) => {
            setEdit(next);
            setIsEditing(false);
          }}
        />
      )}
      {!isEditing && result === undefined && (
        <Preview
          action={action}
          chosen={chosen}
          edit={edit}
          onDone={setResult}
          onEdit={action === 'edit' ? () => setIsEditing(true) : undefined}
        />
      )}
      {result !== undefined && (
        <>
          <Notice tone={hasFailures(result.letters) ? 'warn' : 'good'}>
            <strong role="status">
              <Counts counts={result.counts} />
            </strong>
            <p class="small breakable">{t('doneLead', { run: result.run })}</p>
          </Notice>
          <Results reply={result} />
          <div class="row">
            <Button kind="primary" onClick={() => onClose(true)}>
              {t('done')}
            </Button>
          </div>
        </>
      )}
    </Dialog>
  );
}

interface PreviewProps {
  readonly action: LetterAction;
  readonly chosen: Chosen;
  readonly edit: LetterEdit | undefined;
  readonly onDone: (reply: Schemas['DeadLetterResults']) => void;
  readonly onEdit: (() => void) | undefined;
}

/** The dry run of a call, which is repeated whenever the overrides change, and the action itself. */
function useAction({ action, chosen, edit, onDone }: PreviewProps) {
  const [overrides, setOverrides] = useState<Partial<Record<Override, boolean>>>({});
  const [needed, setNeeded] = useState<readonly Override[]>([]);
  const [outcome, setOutcome] = useState<Outcome>({ state: 'working' });
  const [isActing, setIsActing] = useState(false);
  const [isChecking, setIsChecking] = useState(true);
  const limit = Math.max(1, Math.min(MAX_AT_ONCE, chosen.count));
  const call = { selection: chosen.selection, limit, ...edit, ...overrides };
  const preview = async (): Promise<void> => {
    // The former preview stays while the next one is made, so that the focus stays on the guard that was changed.
    setIsChecking(true);
    try {
      const reply = await actOnLetters(action, { ...call, dryRun: true });
      const named = new Set(reply.letters.map(({ override }) => override));
      setNeeded(OVERRIDES.filter((name) => named.has(name) || overrides[name] === true));
      setOutcome({ state: 'ready', reply });
    } catch (error) {
      setOutcome({ state: 'failed', error });
    }
    setIsChecking(false);
  };
  useEffect(() => void preview(), [JSON.stringify(overrides)]);
  const act = async (reason: string): Promise<void> => {
    setIsActing(true);
    try {
      onDone(await actOnLetters(action, { ...call, dryRun: false, reason }));
    } catch (error) {
      setOutcome({ state: 'failed', error });
    }
    setIsActing(false);
  };
  return { overrides, setOverrides, needed, outcome, isBusy: isActing || isChecking, preview, act };
}

function Preview(props: PreviewProps) {
  const { action, chosen, onEdit } = props;
  const { overrides, setOverrides, needed, outcome, isBusy, preview, act } = useAction(props);
  const change = onEdit !== undefined && (
    <div>
      <Button kind="quiet" small onClick={onEdit}>
        {t('change')}
      </Button>
    </div>
  );
  if (outcome.state === 'working') return <Loading label={t('previewing')} />;
  if (outcome.state === 'failed') {
    return (
      <>
        <Failure error={outcome.error} onRetry={() => void preview()} />
        {change}
      </>
    );
  }
  const { letters, counts } = outcome.reply;
  const possible = letters.filter(({ result }) => result.startsWith('would-')).length;
  return (
    <>
      <section class="stack" aria-label={t('preview')} aria-busy={isBusy}>
        <p role="status">
          <strong>
            <Counts counts={counts} />
          </strong>{' '}
          <span class="soft">{t('previewLead')}</span>
        </p>
        <Results reply={outcome.reply} />
        {chosen.count >= MAX_AT_ONCE && <p class="soft small">{t('limited')}</p>}
      </section>
      {needed.length > 0 && <Guards needed={needed} overrides={overrides} onChange={setOverrides} />}
      {possible === 0 ? (
        <Notice tone="warn">{t('nothingToDo')}</Notice>
      ) : (
        <ReasonForm action={action} count={possible} isBusy={isBusy} onAct={act} />
      )}
      {change}
    </>
  );
}

type Overrides = Partial<Record<Override, boolean>>;

/** The guards that hold some dead letters back, each with a box that disables it. */
function Guards(props: {
  needed: readonly Override[];
  overrides: Overrides;
  onChange: (overrides: Overrides) => void;
}) {
  const { needed, overrides, onChange } = props;
  return (
    <fieldset class="stack guards">
      <legend>{t('needs')}</legend>
      {needed.map((name) => (
        <Check
          key={name}
          label={t(name)}
          checked={overrides[name] === true}
          onChange={(checked) => onChange({ ...overrides, [name]: checked })}
        />
      ))}
    </fieldset>
  );
}

interface ReasonFormProps {
  readonly action: LetterAction;
  readonly count: number;
  readonly isBusy: boolean;
  readonly onAct: (reason: string) => Promise<void>;
}

function ReasonForm({ action, count, isBusy, onAct }: ReasonFormProps) {
  const [reason, setReason] = useState('');
  const [isMissing, setIsMissing] = useState(false);
  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault();
        if (reason.trim() === '') setIsMissing(true);
        else if (!isBusy) void onAct(reason.trim());
      }}
    >
      <TextField
        label={t('why')}
        hint={t('whyHint')}
        error={isMissing ? t('whyMissing') : undefined}
        maxLength={500}
        value={reason}
        onChange={(text) => {
          setReason(text);
          setIsMissing(false);
        }}
      />
      <div class="row">
        <Button kind={action === 'discard' ? 'danger' : 'primary'} type="submit" aria-disabled={isBusy}>
          {isBusy ? t('acting') : t(`confirm_${action}`, { count: formatNumber(count) })}
        </Button>
      </div>
    </form>
  );
}

const RESULT_TONES: Readonly<Record<Results[number]['result'], Tone>> = {
  'would-redrive': 'accent',
  'would-edit': 'accent',
  'would-discard': 'accent',
  'would-mark-sent': 'accent',
  redriven: 'good',
  edited: 'good',
  discarded: 'good',
  'marked-sent': 'good',
  skipped: 'neutral',
  refused: 'warn',
  failed: 'bad',
};

function hasFailures(results: Results): boolean {
  return results.some(({ result }) => result === 'refused' || result === 'failed');
}

function Counts({ counts }: { counts: Schemas['DeadLetterResults']['counts'] }) {
  const parts = Object.entries(counts).map(
    ([result, count]) => `${formatNumber(count)} ${t(`r_${result as Results[number]['result']}`)}`,
  );
  return <>{parts.join(', ')}</>;
}

function Results({ reply: { letters, notListed } }: { reply: Schemas['DeadLetterResults'] }) {
  return (
    <div class="table-scroll">
      <Table
        label={t('result')}
        rows={letters}
        header={-1}
        columns={[
          [t('deadLetter'), ({ id, code }) => <Lines lines={[id, code]} />, 'small breakable'],
          [
            t('result'),
            ({ result, why, to, warnings = [] }) => (
              <>
                <Badge tone={RESULT_TONES[result]}>{t(`r_${result}`)}</Badge>
                <Lines lines={[why, to, ...warnings]} />
              </>
            ),
          ],
        ]}
      />
      {notListed > 0 && <p class="soft small">{t('notListed', { count: formatNumber(notListed) })}</p>}
    </div>
  );
}

function Lines({ lines }: { lines: readonly (string | undefined)[] }) {
  const shown = lines.filter((line) => line !== undefined);
  return (
    <>
      {shown.map((line) => (
        <div key={line} class="small soft breakable">
          {line}
        </div>
      ))}
    </>
  );
}
