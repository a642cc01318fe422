import type { ComponentChildren } from 'preact';
import { useLocation } from 'preact-iso';
import { useState } from 'preact/hooks';
import { Button, Empty, Notice } from '../design/components.tsx';
import { useLoaded, WhenLoaded } from '../design/loaded.tsx';
import { formatNumber } from '../format.ts';
import type { LetterPage } from '../../../../../shared/api/operations/dead-letter-calls.ts';
import { ActionDialog, MAX_AT_ONCE, type Chosen } from './action-dialog.tsx';
import { FilterForm } from './filter-form.tsx';
import { LetterTable } from './letter-table.tsx';
import {
  MESSAGES_PATH,
  filterQuery,
  listLetters,
  readFilters,
  selectionOf,
  type LetterAction,
  type LetterSelection,
} from './operations-api.ts';
import { t } from './texts.ts';

const ACTIONS = [
  ['redrive', 'primary'],
  ['edit', 'normal'],
  ['mark-sent', 'normal'],
  ['discard', 'danger'],
] as const;

/** Dead letters: filters, which are in the address, a page of them, and actions on the selected ones. */
export function DeadLetters() {
  const { query, route } = useLocation();
  const filters = readFilters(query);
  const { cursor = '' } = query;
  const loaded = useLoaded((signal) => listLetters(filters, cursor, signal), [JSON.stringify(query)]);
  const open = (changed: Partial<typeof filters>, next = ''): void => {
    const parameters = filterQuery({ ...filters, ...changed });
    if (next !== '') parameters.set('cursor', next);
    route(`${MESSAGES_PATH}/dead-letters?${parameters}`);
  };
  return (
    <>
      <FilterForm key={JSON.stringify(filters)} filters={filters} onFilter={open} />
      <WhenLoaded loaded={loaded}>
        {(page) => (
          <Page
            // A selection belongs to one page of one filter.
            key={JSON.stringify(query)}
            page={page}
            isFiltered={filterQuery({ ...filters, all: false }).size > 0}
            selection={selectionOf(filters)}
            isFirst={cursor === ''}
            onCode={(code) => open({ code })}
            onPage={(next) => open({}, next)}
            onChanged={loaded.reload}
          />
        )}
      </WhenLoaded>
    </>
  );
}

interface PageProps {
  readonly page: LetterPage;
  readonly isFiltered: boolean;
  readonly selection: LetterSelection;
  readonly isFirst: boolean;
  readonly onCode: (code: string) => void;
  readonly onPage: (cursor: string) => void;
  readonly onChanged: () => void;
}

function Page({ page, isFiltered, selection, isFirst, onCode, onPage, onChanged }: PageProps) {
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set());
  const [isAll, setIsAll] = useState(false);
  const [action, setAction] = useState<LetterAction>();
  const { letters, count, handled, isComplete, isAuditComplete, nextCursor } = page;
  const chosen: Chosen = isAll
    ? { selection, count: Math.min(count, MAX_AT_ONCE) }
    : { selection: { ids: [...ids] }, count: ids.size };
  const select = (selected: ReadonlySet<string>): void => {
    setIds(selected);
    setIsAll(false);
  };
  if (letters.length === 0 && isFirst) {
    return <NoLetters isFiltered={isFiltered} handled={handled} onRefresh={onChanged} />;
  }
  return (
    <div class="stack">
      {!isComplete && <Notice tone="warn">{t('incomplete')}</Notice>}
      {!isAuditComplete && <Notice tone="warn">{t('partialAudit')}</Notice>}
      <Overview page={page} onCode={onCode} onRefresh={onChanged} />
      <SelectionBar
        label={isAll ? t('allMatching', { count: formatNumber(count) }) : t('selected', { count: ids.size })}
        isShown={chosen.count > 0}
        onAction={setAction}
        onClear={() => select(new Set())}
      >
        {!isAll && ids.size === letters.length && count > letters.length && isFiltered && (
          <Button kind="quiet" small onClick={() => setIsAll(true)}>
            {t('selectMatching', { count: formatNumber(count) })}
          </Button>
        )}
      </SelectionBar>
      <LetterTable letters={letters} selected={ids} onSelect={select} />
      <nav class="row" aria-label={t('pages')} hidden={nextCursor === undefined && isFirst}>
        {!isFirst && <Button onClick={() => onPage('')}>{t('first')}</Button>}
        {nextCursor !== undefined && <Button onClick={() => onPage(nextCursor)}>{t('next')}</Button>}
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

function NoLetters(props: { isFiltered: boolean; handled: number; onRefresh: () => void }) {
  const { isFiltered, handled, onRefresh } = props;
  return (
    <Empty title={t('noneTitle')}>
      <p>{isFiltered ? t('noneFiltered') : t('noneHint')}</p>
      {handled > 0 && <p class="small">{t('handledHidden', { count: formatNumber(handled) })}</p>}
      <Button small onClick={onRefresh}>
        {t('refresh')}
      </Button>
    </Empty>
  );
}

/** How many there are, by problem code; a code is a filter. */
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

interface SelectionBarProps {
  readonly label: string;
  readonly isShown: boolean;
  readonly onAction: (action: LetterAction) => void;
  readonly onClear: () => void;
  readonly children: ComponentChildren;
}

/** What is selected, and the actions on it. */
function SelectionBar({ label, isShown, onAction, onClear, children }: SelectionBarProps) {
  return (
    <div class="selection-bar card card-tight row-between" hidden={!isShown}>
      <div class="row">
        <span role="status">{isShown ? label : ''}</span>
        {children}
        <Button kind="quiet" small onClick={onClear}>
          {t('clearSelection')}
        </Button>
      </div>
      <div class="row" role="group" aria-label={t('actions')}>
        {ACTIONS.map(([name, kind]) => (
          <Button key={name} kind={kind} small onClick={() => onAction(name)}>
            {t(name)}
          </Button>
        ))}
      </div>
    </div>
  );
}
