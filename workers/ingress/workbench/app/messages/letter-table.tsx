import { Badge, type Tone } from '../design/components.tsx';
import { Table } from '../design/table.tsx';
import { formatMoment, formatNumber } from '../format.ts';
import type { ListedLetter } from '../../../../../shared/api/operations/dead-letter-calls.ts';
import { MESSAGES_PATH, type DeadLetter } from './operations-api.ts';
import { t } from './texts.ts';

interface LetterTableProps {
  readonly letters: readonly ListedLetter[];
  readonly selected: ReadonlySet<string>;
  readonly onSelect: (selected: ReadonlySet<string>) => void;
}

/** Dead letters, with a box each to select them. A narrow screen leaves out what the page of a letter has too. */
export function LetterTable({ letters, selected, onSelect }: LetterTableProps) {
  const toggle = (id: string): void => {
    const changed = new Set(selected);
    if (!changed.delete(id)) changed.add(id);
    onSelect(changed);
  };
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
      onChange={() => toggle(id)}
    />
  );
  return (
    <Table
      label={t('deadLetters')}
      class="letter-table"
      rows={letters}
      rowClass={({ id }) => (selected.has(id) ? 'selected' : undefined)}
      header={1}
      columns={[
        [selectAll, select],
        [t('problem'), (letter) => <Problem letter={letter} />],
        [t('when'), ({ at }) => formatMoment(at), 'figures nowrap wide-only'],
        [t('message'), (letter) => <Message letter={letter} />, 'wide-only'],
        [t('origin'), ({ from }) => from, 'breakable small wide-only'],
        [t('attempts'), ({ attempts }) => formatNumber(attempts), 'number wide-only'],
        [t('redrives'), ({ redrives }) => formatNumber(redrives), 'number wide-only'],
        [t('status'), ({ status }) => <LetterStatus status={status} />],
      ]}
    />
  );
}

function Problem({ letter: { id, code, reason, at } }: { letter: ListedLetter }) {
  return (
    <>
      <a href={`${MESSAGES_PATH}/dead-letters/${id}`}>{code}</a>
      <div class="soft small">{reason}</div>
      <div class="soft small figures narrow-only">{formatMoment(at)}</div>
    </>
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

/** The status of a dead letter. */
export function LetterStatus({ status }: Pick<DeadLetter, 'status'>) {
  return <Badge tone={TONES[status]}>{t(`status_${status}`)}</Badge>;
}
