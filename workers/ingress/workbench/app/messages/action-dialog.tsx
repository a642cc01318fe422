import { useState } from 'preact/hooks';
import { Badge, Button, Dialog, Failure, Notice, type Tone } from '../design/components.tsx';
import { Check, Form, TextField, LinesField } from '../design/fields.tsx';
import { useLoaded, WhenLoaded } from '../design/loaded.tsx';
import { Table } from '../design/table.tsx';
import { formatNumber } from '../format.ts';
import type { ActionReply } from '../../../../../shared/api/operations/dead-letter-calls.ts';
import { messagesText as t } from '../texts.ts';
import {
  actOnDeadLetters,
  type DeadLetterAction,
  type DeadLetterSelection,
  type Override,
  type EditDeadLetters,
} from './message-calls.ts';
import { isRecord } from '../schedules/loan.ts';
import { parseJson } from '../../../../../shared/platform/parse-json.ts';

/** The dead letters of an action; `count` is their number, at most MAX_AT_ONCE. */
export interface Chosen {
  readonly selection: DeadLetterSelection;
  readonly count: number;
}

type Result = ActionReply['letters'][number]['result'];

/** The most dead letters that the engine accepts in one action. */
export const MAX_AT_ONCE = 500;
const OVERRIDES: readonly Override[] = ['again', 'force', 'acceptDuplicates'];
const RESULT_TONES: Readonly<Record<Result, Tone>> = {
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

interface ActionProps {
  readonly action: DeadLetterAction;
  readonly chosen: Chosen;
}

/** The steps of an action: the changes of an edit, a dry run with the guards, the reason, and the result. */
export function ActionDialog(props: ActionProps & { onClose: (hasActed: boolean) => void }) {
  const { action, chosen, onClose } = props;
  const [changes, setChanges] = useState<Changes | undefined>(action === 'edit' ? undefined : {});
  const [done, setDone] = useState<ActionReply>();
  return (
    <Dialog title={t(action)} onClose={() => onClose(done !== undefined)}>
      {action === 'edit' && done === undefined && <ChangesForm onPreview={setChanges} />}
      {changes !== undefined && done === undefined && (
        <Preview key={JSON.stringify(changes)} {...{ action, chosen, changes }} onDone={setDone} />
      )}
      {done !== undefined && (
        <>
          <Notice tone={'refused' in done.counts || 'failed' in done.counts ? 'warn' : 'good'}>
            <strong role="status">{countsText(done)}</strong>
            <p class="small breakable">{t('doneLead', { run: done.run })}</p>
          </Notice>
          <Results reply={done} />
          <Button kind="primary" onClick={() => onClose(true)}>
            {t('done')}
          </Button>
        </>
      )}
    </Dialog>
  );
}

function Preview(props: ActionProps & { changes: Changes; onDone: (reply: ActionReply) => void }) {
  const { action, chosen, changes, onDone } = props;
  const [overrides, setOverrides] = useState<Partial<Record<Override, boolean>>>({});
  const [failure, setFailure] = useState<unknown>();
  const [isActing, setActing] = useState(false);
  const limit = Math.max(1, Math.min(MAX_AT_ONCE, chosen.count));
  const call = { selection: chosen.selection, limit, ...changes, ...overrides };
  // `useLoaded` keeps the last preview while it loads the next, so the check box that the user changed keeps the focus.
  const preview = useLoaded(
    () => actOnDeadLetters(action, { ...call, dryRun: true }),
    [JSON.stringify(overrides)],
  );
  const act = async (reason: string): Promise<void> => {
    setActing(true);
    try {
      onDone(await actOnDeadLetters(action, { ...call, dryRun: false, reason }));
    } catch (error) {
      setFailure(error);
    }
    setActing(false);
  };
  const again = (): void => {
    setFailure(undefined);
    preview.reload();
  };
  if (failure !== undefined) return <Failure error={failure} onRetry={again} />;
  const isBusy = isActing || preview.isLoading;
  const guards = OVERRIDES.filter(
    (name) => overrides[name] === true || preview.value?.letters.some(({ override }) => override === name),
  );
  return (
    <WhenLoaded loaded={preview}>
      {(reply) => (
        <>
          <section class="stack" aria-label={t('preview')} aria-busy={isBusy}>
            <p role="status">
              <strong>{countsText(reply)}</strong> <span class="soft">{t('previewLead')}</span>
            </p>
            <Results reply={reply} />
            {chosen.count >= MAX_AT_ONCE && <p class="soft small">{t('limited')}</p>}
          </section>
          {guards.length > 0 && (
            <fieldset class="stack">
              <legend>{t('needs')}</legend>
              {guards.map((name) => (
                <Check
                  key={name}
                  label={t(name)}
                  checked={overrides[name] === true}
                  onChange={(checked) => setOverrides({ ...overrides, [name]: checked })}
                />
              ))}
            </fieldset>
          )}
          <Reason {...{ action, reply, isBusy }} onAct={act} />
        </>
      )}
    </WhenLoaded>
  );
}

function Reason(props: {
  action: DeadLetterAction;
  reply: ActionReply;
  isBusy: boolean;
  onAct: (reason: string) => Promise<void>;
}) {
  const { action, reply, isBusy, onAct } = props;
  const [reason, setReason] = useState('');
  const [isMissing, setMissing] = useState(false);
  const possible = reply.letters.filter(({ result }) => result.startsWith('would-')).length;
  if (possible === 0) return <Notice tone="warn">{t('nothingToDo')}</Notice>;
  const submit = (): void => {
    if (reason.trim() === '') setMissing(true);
    else if (!isBusy) void onAct(reason.trim());
  };
  return (
    <Form class="stack" onSubmit={submit}>
      <TextField
        label={t('why')}
        hint={t('whyHint')}
        error={isMissing && reason.trim() === '' ? t('whyMissing') : undefined}
        maxLength={500}
        value={reason}
        onChange={setReason}
      />
      <Button kind={action === 'discard' ? 'danger' : 'primary'} type="submit" aria-disabled={isBusy}>
        {isBusy ? t('acting') : t(`confirm_${action}`, { count: formatNumber(possible) })}
      </Button>
    </Form>
  );
}

function countsText({ counts }: ActionReply): string {
  return Object.entries(counts)
    .map(([result, count]) => `${formatNumber(count)} ${t(`r_${result as Result}`)}`)
    .join(', ');
}

function lines(...texts: readonly (string | undefined)[]) {
  return texts.map((text) => text !== undefined && <div class="small soft breakable">{text}</div>);
}

function Results({ reply: { letters, notListed } }: { reply: ActionReply }) {
  return (
    <div class="table-scroll">
      <Table
        label={t('result')}
        rows={letters}
        header={-1}
        columns={[
          [t('deadLetter'), ({ id, code }) => lines(id, code)],
          [
            t('result'),
            ({ result, why, to, warnings = [] }) => (
              <>
                <Badge tone={RESULT_TONES[result]}>{t(`r_${result}`)}</Badge>
                {lines(why, to, ...warnings)}
              </>
            ),
          ],
        ]}
      />
      {notListed > 0 && <p class="soft small">{t('notListed', { count: formatNumber(notListed) })}</p>}
    </div>
  );
}

type Changes = Pick<EditDeadLetters, 'patch' | 'headers'>;

/** The user enters changes to payload and headers as JSON objects. Further input removes the preview. */
function ChangesForm({ onPreview }: { onPreview: (changes?: Changes) => void }) {
  const [texts, setTexts] = useState({ patch: '', headers: '' });
  const [isChecked, setChecked] = useState(false);
  const patch = parseObject(texts.patch);
  const headers = parseObject(texts.headers) as Changes['headers'];
  const isEmpty = texts.patch.trim() === '' && texts.headers.trim() === '';
  const faultOf = (part: object | undefined) =>
    isChecked && part === undefined ? t('patchInvalid') : undefined;
  const submit = (): void => {
    setChecked(true);
    if (isEmpty || patch === undefined || headers === undefined) return;
    onPreview({
      ...(Object.keys(patch).length === 0 ? {} : { patch }),
      ...(Object.keys(headers).length === 0 ? {} : { headers }),
    });
  };
  return (
    <Form class="stack" onSubmit={submit} onInput={() => onPreview()} noValidate>
      <LinesField
        label={t('patch')}
        hint={t('patchHint')}
        error={isChecked && isEmpty ? t('changeMissing') : faultOf(patch)}
        value={texts.patch}
        rows={6}
        isCode
        onChange={(changed) => setTexts({ ...texts, patch: changed })}
      />
      <LinesField
        label={t('headerChanges')}
        hint={t('headerHint')}
        error={faultOf(headers)}
        value={texts.headers}
        rows={2}
        isCode
        onChange={(changed) => setTexts({ ...texts, headers: changed })}
      />
      <Button kind="primary" type="submit">
        {t('preview')}
      </Button>
    </Form>
  );
}

function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  if (text.trim() === '') return {};
  const parsed = parseJson(text);
  const value = parsed.kind === 'parsed' && !JSON.isRawJSON(parsed.value) ? parsed.value : undefined;
  return isRecord(value) ? value : undefined;
}
