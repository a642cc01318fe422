import type { Schemas } from '../schemas.ts';
import { Badge, TableFrame } from '../design/components.tsx';
import { formatMoment, formatNumber } from '../format.ts';
import { LETTER_STATUSES } from './letter-statuses.ts';
import { t } from './texts.ts';

interface LetterTableProps {
  readonly messagesPath: string;
  readonly letters: readonly Schemas['ListedDeadLetter'][];
  readonly selected: ReadonlySet<string>;
  readonly onSelect: (selected: ReadonlySet<string>) => void;
}

/** Dead letters, with a box each to select them. A narrow screen leaves out what the page of a letter has too. */
export function LetterTable({ messagesPath, letters, selected, onSelect }: LetterTableProps) {
  const toggle = (id: string): void => {
    const changed = new Set(selected);
    if (!changed.delete(id)) changed.add(id);
    onSelect(changed);
  };
  const isAll = letters.length > 0 && selected.size === letters.length;
  return (
    <TableFrame label={t('deadLetters')}>
      <table class="table letter-table">
        <thead>
          <tr>
            <th scope="col">
              <input
                type="checkbox"
                aria-label={t('selectPage')}
                checked={isAll}
                onChange={() => onSelect(new Set(isAll ? [] : letters.map(({ id }) => id)))}
              />
            </th>
            <th scope="col">{t('problem')}</th>
            <th scope="col" class="wide-only">
              {t('when')}
            </th>
            <th scope="col" class="wide-only">
              {t('message')}
            </th>
            <th scope="col" class="wide-only">
              {t('origin')}
            </th>
            <th scope="col" class="number wide-only">
              {t('attempts')}
            </th>
            <th scope="col" class="number wide-only">
              {t('redrives')}
            </th>
            <th scope="col">{t('status')}</th>
          </tr>
        </thead>
        <tbody>
          {letters.map((letter) => (
            <Row
              key={letter.id}
              messagesPath={messagesPath}
              letter={letter}
              isSelected={selected.has(letter.id)}
              onToggle={() => toggle(letter.id)}
            />
          ))}
        </tbody>
      </table>
    </TableFrame>
  );
}

interface RowProps {
  readonly messagesPath: string;
  readonly letter: Schemas['ListedDeadLetter'];
  readonly isSelected: boolean;
  readonly onToggle: () => void;
}

function Row({ messagesPath, letter, isSelected, onToggle }: RowProps) {
  const { id, code, reason, at, channel, type, from, attempts, redrives, status } = letter;
  return (
    <tr class={isSelected ? 'selected' : undefined}>
      <td>
        <input type="checkbox" aria-label={t('select', { id })} checked={isSelected} onChange={onToggle} />
      </td>
      <th scope="row" class="letter-problem">
        <a href={`${messagesPath}/dead-letters/${id}`}>{code}</a>
        <div class="soft small">{reason}</div>
        <div class="soft small figures narrow-only">{formatMoment(at)}</div>
      </th>
      <td class="figures wide-only moment">{formatMoment(at)}</td>
      <td class="wide-only">
        {channel === undefined ? type : t(channel)}
        {channel !== undefined && <div class="soft small">{type}</div>}
      </td>
      <td class="wide-only breakable small">{from}</td>
      <td class="number wide-only">{formatNumber(attempts)}</td>
      <td class="number wide-only">{formatNumber(redrives)}</td>
      <td>
        <Badge tone={LETTER_STATUSES[status]}>{t(`status_${status}`)}</Badge>
      </td>
    </tr>
  );
}
