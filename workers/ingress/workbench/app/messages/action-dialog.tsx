import { useState } from 'preact/hooks';
import { Badge, Button, Dialog, Failure, Notice, type Tone } from '../design/components.tsx';
import { Check, TextField } from '../design/fields.tsx';
import { useLoaded, WhenLoaded } from '../design/loaded.tsx';
import { Table } from '../design/table.tsx';
import { formatNumber } from '../format.ts';
import type { ActionReply } from '../../../../../shared/api/operations/dead-letter-calls.ts';
import { EditForm, type LetterEdit } from './edit-form.tsx';
import { actOnLetters, type LetterAction, type LetterSelection, type Override } from './operations-api.ts';
import { t } from './texts.ts';

/** What an action works on. */
export interface Chosen {
  readonly selection: LetterSelection;
  readonly count: number;
}

interface ActionDialogProps {
  readonly action: LetterAction;
  readonly chosen: Chosen;
  /** `hasActed`: the list is no longer what it was. */
  readonly onClose: (hasActed: boolean) => void;
}

type Results = ActionReply['letters'];

/** Dead letters of one action. */
export const MAX_AT_ONCE = 500;
const OVERRIDES: readonly Override[] = ['again', 'force', 'acceptDuplicates'];

/** An action in steps: the edit, if it is one; a dry run with its guards; the reason; and the result. */
export function ActionDialog({ action, chosen, onClose }: ActionDialogProps) {
  const [edit, setEdit] = useState<LetterEdit>();
  const [isEditing, setIsEditing] = useState(action === 'edit');
  const [result, setResult] = useState<ActionReply>();
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
  readonly onDone: (reply: ActionReply) => void;
  readonly onEdit: (() => void) | undefined;
}

/** The dry run, which is repeated whenever the overrides change, and the action itself. */
function Preview(props: PreviewProps) {
  const { action, chosen, edit, onDone, onEdit } = props;
  const [overrides, setOverrides] = useState<Overrides>({});
  const [failure, setFailure] = useState<unknown>();
  const [isActing, setIsActing] = useState(false);
  const limit = Math.max(1, Math.min(MAX_AT_ONCE, chosen.count));
  const call = { selection: chosen.selection, limit, ...edit, ...overrides };
  // The former preview stays while the next one is made, so that the focus stays on the guard that was changed.
  const preview = useLoaded(
    () => actOnLetters(action, { ...call, dryRun: true }),
    [JSON.stringify(overrides)],
  );
  const act = async (reason: string): Promise<void> => {
    setIsActing(true);
    try {
      onDone(await actOnLetters(action, { ...call, dryRun: false, reason }));
    } catch (error) {
      setFailure(error);
    }
    setIsActing(false);
  };
  const again = (): void => {
    setFailure(undefined);
    preview.reload();
  };
  return (
    <>
      {failure !== undefined && <Failure error={failure} onRetry={again} />}
      {failure === undefined && (
        <WhenLoaded loaded={preview}>
          {(reply) => (
            <Previewed
              {...{ action, chosen, reply, overrides, setOverrides }}
              isBusy={isActing || preview.isLoading}
              onAct={act}
            />
          )}
        </WhenLoaded>
      )}
      {onEdit !== undefined && (
        <div>
          <Button kind="quiet" small onClick={onEdit}>
            {t('change')}
          </Button>
        </div>
      )}
    </>
  );
}

function Previewed(props: {
  action: LetterAction;
  chosen: Chosen;
  reply: ActionReply;
  overrides: Overrides;
  setOverrides: (overrides: Overrides) => void;
  isBusy: boolean;
  onAct: (reason: string) => Promise<void>;
}) {
  const { action, chosen, reply, overrides, setOverrides, isBusy, onAct } = props;
  const { letters, counts } = reply;
  const possible = letters.filter(({ result }) => result.startsWith('would-')).length;
  const named = new Set(letters.map(({ override }) => override));
  const needed = OVERRIDES.filter((name) => named.has(name) || overrides[name] === true);
  return (
    <>
      <section class="stack" aria-label={t('preview')} aria-busy={isBusy}>
        <p role="status">
          <strong>
            <Counts counts={counts} />
          </strong>{' '}
          <span class="soft">{t('previewLead')}</span>
        </p>
        <Results reply={reply} />
        {chosen.count >= MAX_AT_ONCE && <p class="soft small">{t('limited')}</p>}
      </section>
      {needed.length > 0 && <Guards needed={needed} overrides={overrides} onChange={setOverrides} />}
      {possible === 0 ? (
        <Notice tone="warn">{t('nothingToDo')}</Notice>
      ) : (
        <ReasonForm action={action} count={possible} isBusy={isBusy} onAct={onAct} />
      )}
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
    <fieldset class="stack">
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

function Counts({ counts }: { counts: ActionReply['counts'] }) {
  const parts = Object.entries(counts).map(
    ([result, count]) => `${formatNumber(count)} ${t(`r_${result as Results[number]['result']}`)}`,
  );
  return <>{parts.join(', ')}</>;
}

function Results({ reply: { letters, notListed } }: { reply: ActionReply }) {
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
