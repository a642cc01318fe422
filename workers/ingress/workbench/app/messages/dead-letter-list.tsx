import { useLocation } from 'preact-iso';
import { useState } from 'preact/hooks';
import { withQuery } from '../api.ts';
import { Button, Empty, Notice, Badge, type Tone } from '../design/components.tsx';
import { useJson, WhenLoaded } from '../design/loaded.tsx';
import { formatNumber, formatMoment } from '../format.ts';
import type { LetterPage, ListedLetter } from '../../../../../shared/api/operations/dead-letter-calls.ts';
import { ActionDialog, MAX_AT_ONCE, type Chosen } from './action-dialog.tsx';
import {
  MESSAGES_PATH,
  addressOfDeadLetters,
  readFilters,
  selectionOf,
  type DeadLetterAction,
  type DeadLetter,
  NO_FILTERS,
  type DeadLetterFilters,
} from './message-calls.ts';
import { messagesText as t } from '../texts.ts';
import { Table } from '../design/table.tsx';
import { Check, Form, ChoiceField, TextField } from '../design/fields.tsx';

const ACTIONS = [
  ['redrive', 'primary'],
  ['edit', 'normal'],
  ['mark-sent', 'normal'],
  ['discard', 'danger'],
] as const;

export function DeadLetters() {
  const { query, route } = useLocation();
  const filters = readFilters(query);
  const { cursor = '' } = query;
  const loaded = useJson<LetterPage>(addressOfDeadLetters(filters, cursor));
  const open = (changed: Partial<typeof filters>, next = ''): void => {
    route(withQuery(`${MESSAGES_PATH}/dead-letters`, { ...filters, ...changed, cursor: next }));
  };
  return (
    <>
      <FilterForm key={JSON.stringify(filters)} filters={filters} onFilter={open} />
      <WhenLoaded loaded={loaded}>
        {(page) => (
          // Another page or filter changes the key, so Preact drops the selection.
          <Page
            key={JSON.stringify(query)}
            isFirst={cursor === ''}
            {...{ page, filters, open }}
            onChanged={loaded.reload}
          />
        )}
      </WhenLoaded>
    </>
  );
}

interface PageProps {
  readonly page: LetterPage;
  readonly filters: DeadLetterFilters;
  readonly isFirst: boolean;
  readonly open: (changed: Partial<DeadLetterFilters>, cursor?: string) => void;
  readonly onChanged: () => void;
}

function Page({ page, filters, isFirst, open, onChanged }: PageProps) {
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set());
  const [isAll, setIsAll] = useState(false);
  const [action, setAction] = useState<DeadLetterAction>();
  const { letters, count, handled, isComplete, isAuditComplete, nextCursor } = page;
  const isFiltered = Object.values({ ...filters, all: '' }).some((value) => value !== '');
  const chosen: Chosen = isAll
    ? { selection: selectionOf(filters), count: Math.min(count, MAX_AT_ONCE) }
    : { selection: { ids: [...ids] }, count: ids.size };
  const select = (selected: ReadonlySet<string>): void => {
    setIds(selected);
    setIsAll(false);
  };
  if (letters.length === 0 && isFirst) {
    return <NoDeadLetters isFiltered={isFiltered} handled={handled} onRefresh={onChanged} />;
  }
  return (
    <div class="stack">
      {!isComplete && <Notice tone="warn">{t('incomplete')}</Notice>}
      {!isAuditComplete && <Notice tone="warn">{t('partialAudit')}</Notice>}
      <Overview page={page} onCode={(code) => open({ code })} onRefresh={onChanged} />
      <div class="selection-bar card card-tight row-between" hidden={chosen.count === 0}>
        <div class="row">
          <span role="status">
            {isAll ? t('allMatching', { count: formatNumber(count) }) : t('selected', { count: ids.size })}
          </span>
          {!isAll && ids.size === letters.length && count > letters.length && isFiltered && (
            <Button kind="quiet" small onClick={() => setIsAll(true)}>
              {t('selectMatching', { count: formatNumber(count) })}
            </Button>
          )}
          <Button kind="quiet" small onClick={() => select(new Set())}>
            {t('clearSelection')}
          </Button>
        </div>
        <DeadLetterActions small onAction={setAction} />
      </div>
      <DeadLetterTable letters={letters} selected={ids} onSelect={select} />
      <nav class="row" aria-label={t('pages')} hidden={nextCursor === undefined && isFirst}>
        {!isFirst && <Button onClick={() => open({})}>{t('first')}</Button>}
        {nextCursor !== undefined && <Button onClick={() => open({}, nextCursor)}>{t('next')}</Button>}
      </nav>
      {action !== undefined && (
        <ActionDialog
          action={action}
          chosen={chosen}
          onClose={(hasActed) => {
            setAction(undefined);
            if (!hasActed) return;
            select(new Set());
            onChanged();
          }}
        />
      )}
    </div>
  );
}

function NoDeadLetters(props: { isFiltered: boolean; handled: number; onRefresh: () => void }) {
  const { isFiltered, handled, onRefresh } = props;
  return (
    <Empty title={t('noneTitle')} text={t(isFiltered ? 'noneFiltered' : 'noneHint')}>
      {handled > 0 && <p class="small">{t('handledHidden', { count: formatNumber(handled) })}</p>}
      <Button small onClick={onRefresh}>
        {t('refresh')}
      </Button>
    </Empty>
  );
}

export function DeadLetterActions(props: {
  small?: boolean;
  canMarkSent?: boolean;
  onAction: (action: DeadLetterAction) => void;
}) {
  const { small = false, canMarkSent = true, onAction } = props;
  return (
    <div class="row no-print" role="group" aria-label={t('actions')}>
      {ACTIONS.filter(([name]) => canMarkSent || name !== 'mark-sent').map(([name, kind]) => (
        <Button key={name} {...{ kind, small }} onClick={() => onAction(name)}>
          {t(name)}
        </Button>
      ))}
    </div>
  );
}

function Overview(props: { page: LetterPage; onCode: (code: string) => void; onRefresh: () => void }) {
  const { page, onCode, onRefresh } = props;
  const { count, codes, handled } = page;
  return (
    <div class="row" role="group" aria-label={t('byCode')}>
      <strong>{count === 1 ? t('countedOne') : t('counted', { count: formatNumber(count) })}</strong>
      {Object.entries(codes).map(([code, number]) => (
        <Button key={code} small onClick={() => onCode(code)}>
          {code} <span class="soft figures">{formatNumber(number)}</span>
        </Button>
      ))}
      {handled > 0 && <span class="soft small">{t('handledHidden', { count: formatNumber(handled) })}</span>}
      <Button kind="quiet" small onClick={onRefresh}>
        {t('refresh')}
      </Button>
    </div>
  );
}

function DeadLetterTable(props: {
  letters: readonly ListedLetter[];
  selected: ReadonlySet<string>;
  onSelect: (selected: ReadonlySet<string>) => void;
}) {
  const { letters, selected, onSelect } = props;
  const isAll = letters.length > 0 && selected.size === letters.length;
  const selectAll = (
    <input
      type="checkbox"
      aria-label={t('selectPage')}
      checked={isAll}
      onChange={() => onSelect(new Set(isAll ? [] : letters.map(({ id }) => id)))}
    />
  );
  const select = ({ id }: ListedLetter) => (
    <input
      type="checkbox"
      aria-label={t('select', { id })}
      checked={selected.has(id)}
      onChange={() =>
        onSelect(new Set(selected.has(id) ? [...selected].filter((one) => one !== id) : [...selected, id]))
      }
    />
  );
  return (
    <Table
      label={t('deadLetters')}
      rows={letters}
      rowClass={({ id }) => (selected.has(id) ? 'selected' : undefined)}
      header={1}
      columns={[
        [selectAll, select],
        [
          t('problem'),
          ({ id, code, reason, at }) => (
            <>
              <a href={`${MESSAGES_PATH}/dead-letters/${id}`}>{code}</a>
              <div class="soft small">{reason}</div>
              <div class="soft small figures narrow-only">{formatMoment(at)}</div>
            </>
          ),
        ],
        [t('when'), ({ at }) => formatMoment(at), 'figures nowrap wide-only'],
        [t('message'), (letter) => <Message letter={letter} />, 'wide-only'],
        [t('origin'), ({ from }) => from, 'breakable small wide-only'],
        [t('attempts'), ({ attempts }) => formatNumber(attempts), 'number wide-only'],
        [t('redrives'), ({ redrives }) => formatNumber(redrives), 'number wide-only'],
        [t('status'), ({ status }) => <DeadLetterStatus status={status} />],
      ]}
    />
  );
}

function Message({ letter: { channel, type } }: { letter: ListedLetter }) {
  if (channel === undefined) return <>{type}</>;
  return (
    <>
      {t(channel)}
      <div class="soft small">{type}</div>
    </>
  );
}

const TONES: Readonly<Record<DeadLetter['status'], Tone>> = {
  open: 'bad',
  'redrive-begun': 'warn',
  'edit-begun': 'warn',
  redriven: 'good',
  edited: 'good',
  discarded: 'neutral',
  'marked-sent': 'good',
};

export function DeadLetterStatus({ status }: Pick<DeadLetter, 'status'>) {
  return <Badge tone={TONES[status]}>{t(`status_${status}`)}</Badge>;
}

const WORKERS = ['notification', 'schedule', 'product', 'simulation'];
function FilterForm(props: { filters: DeadLetterFilters; onFilter: (filters: DeadLetterFilters) => void }) {
  const [draft, setDraft] = useState(props.filters);
  const field = (name: Exclude<keyof DeadLetterFilters, 'id' | 'all'>) => ({
    label: t(name),
    value: draft[name],
    onChange: (value: string) => setDraft({ ...draft, [name]: value }),
  });
  return (
    <Form
      class="card card-tight stack"
      role="search"
      onSubmit={() => props.onFilter({ ...draft, code: draft.code.trim(), type: draft.type.trim() })}
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
        <TextField {...field('type')} />
        <TextField {...field('since')} type="datetime-local" />
        <TextField {...field('until')} type="datetime-local" />
      </div>
      <div class="row">
        <Button kind="primary" type="submit">
          {t('filter')}
        </Button>
        <Button kind="quiet" onClick={() => props.onFilter(NO_FILTERS)}>
          {t('clear')}
        </Button>
        <Check
          label={t('showHandled')}
          checked={draft.all === 'true'}
          onChange={(all) => setDraft({ ...draft, all: all ? 'true' : '' })}
        />
      </div>
    </Form>
  );
}
