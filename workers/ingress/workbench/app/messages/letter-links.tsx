import { Badge, Failure, Loading } from '../design/components.tsx';
import { useLoaded } from '../design/use-loaded.ts';
import { formatMoment } from '../format.ts';
import { LETTER_STATUSES } from './letter-statuses.ts';
import { listLetters, readFilters } from './operations-api.ts';
import { t } from './texts.ts';

/** The dead letters of one notification. */
export function LetterLinks({
  messagesPath,
  notificationId,
}: {
  messagesPath: string;
  notificationId: string;
}) {
  const [found, reload] = useLoaded(
    (signal) => listLetters(readFilters({ id: notificationId, all: 'true' }), '', signal),
    [notificationId],
  );
  return (
    <section class="card stack">
      <h2>{t('ofLetters')}</h2>
      {found.state === 'loading' && <Loading />}
      {found.state === 'failed' && <Failure error={found.error} onRetry={reload} />}
      {found.state === 'loaded' && found.value.letters.length === 0 && <p class="soft">{t('noLetters')}</p>}
      {found.state === 'loaded' && found.value.letters.length > 0 && (
        <ul class="result-list">
          {found.value.letters.map(({ id, at, code, status }) => (
            <li key={id} class="row-between">
              <a href={`${messagesPath}/dead-letters/${id}`}>
                {code}, {formatMoment(at)}
              </a>
              <Badge tone={LETTER_STATUSES[status]}>{t(`status_${status}`)}</Badge>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
