import { useLocation } from 'preact-iso';
import { useEffect, useState } from 'preact/hooks';
import { Badge, Button, Definitions, Empty, type Tone } from '../design/components.tsx';
import { asProblem } from '../engine-error.ts';
import { TextField } from '../design/fields.tsx';
import { useLoaded, WhenLoaded } from '../design/loaded.tsx';
import { formatMoment, formatNumber } from '../format.ts';
import { TOKEN_REQUIRED } from '../page-settings.ts';
import type { NotificationTimeline } from '../../../../../shared/api/operations/notification-lists.ts';
import { LetterStatus } from './letter-table.tsx';
import { findByReference, findTimeline, listLetters, MESSAGES_PATH, NO_FILTERS } from './operations-api.ts';
import { t } from './texts.ts';
import { Timeline } from './timeline.tsx';

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** A notification on its way is read again after this time. */
const REFRESH_MS = 3_000;

/** The tone and the name of each status. */
const STATUSES: Readonly<Record<NotificationTimeline['status'], readonly [Tone, Parameters<typeof t>[0]]>> = {
  accepted: ['neutral', 'accepted'],
  sending: ['accent', 'status_sending'],
  retrying: ['warn', 'retrying'],
  sent: ['good', 'sent'],
  failed: ['bad', 'failed'],
  parked: ['bad', 'parked'],
};

/** Finds a notification by id or Idempotency-Key; both are in the address. */
export function FindNotification({ id }: { id: string }) {
  const { query, route } = useLocation();
  const { reference = '', caller = '' } = query;
  const search = (text: string, owner: string): void => {
    if (UUID.test(text)) return route(`${MESSAGES_PATH}/notifications/${text.toLowerCase()}`);
    if (text === '') return;
    const parameters = { reference: text, ...(owner === '' ? {} : { caller: owner }) };
    route(`${MESSAGES_PATH}?${new URLSearchParams(parameters)}`);
  };
  return (
    <>
      <SearchForm
        key={id + reference}
        initial={id === '' ? reference : id}
        caller={caller}
        onSearch={search}
      />
      {id !== '' && <Found id={id} />}
      {id === '' && reference !== '' && <ByReference reference={reference} caller={caller} />}
      {id === '' && reference === '' && (
        <Empty title={t('searchFirst')}>
          <p>{t('searchFirstHint')}</p>
        </Empty>
      )}
    </>
  );
}

function SearchForm(props: {
  initial: string;
  caller: string;
  onSearch: (text: string, caller: string) => void;
}) {
  const [text, setText] = useState(props.initial);
  const [caller, setCaller] = useState(props.caller);
  return (
    <form
      class="card card-tight search-form"
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        props.onSearch(text.trim(), caller.trim());
      }}
    >
      <TextField label={t('idOrReference')} hint={t('idHint')} value={text} onChange={setText} />
      {TOKEN_REQUIRED && (
        <TextField label={t('caller')} hint={t('callerHint')} value={caller} onChange={setCaller} />
      )}
      <Button kind="primary" type="submit">
        {t('search')}
      </Button>
    </form>
  );
}

function ByReference({ reference, caller }: { reference: string; caller: string }) {
  const loaded = useLoaded((signal) => findByReference(reference, caller, signal), [reference, caller]);
  return (
    <WhenLoaded loaded={loaded}>
      {({ notifications }) => {
        const [only, ...others] = notifications;
        if (only === undefined) return <NothingFound />;
        if (others.length === 0) return <Found id={only.notificationId} />;
        return (
          <ul class="stack tight">
            {notifications.map(({ notificationId, channel, status, updatedAt }) => (
              <li key={notificationId} class="card card-tight row-between">
                <a href={`${MESSAGES_PATH}/notifications/${notificationId}`}>
                  {t(channel)} {notificationId}
                </a>
                <span class="row">
                  <StatusBadge status={status} />
                  <span class="soft">{formatMoment(updatedAt)}</span>
                </span>
              </li>
            ))}
          </ul>
        );
      }}
    </WhenLoaded>
  );
}

function NothingFound() {
  return (
    <Empty title={t('nothingFound')}>
      <p>{t('nothingFoundHint')}</p>
    </Empty>
  );
}

function StatusBadge({ status }: { status: NotificationTimeline['status'] }) {
  const [tone, name] = STATUSES[status];
  return <Badge tone={tone}>{t(name)}</Badge>;
}

function Found({ id }: { id: string }) {
  const loaded = useLoaded((signal) => findTimeline(id, signal), [id]);
  const { value, reload } = loaded;
  const status = value?.status;
  const isMoving = status === 'accepted' || status === 'sending' || status === 'retrying';
  useEffect(() => {
    if (!isMoving) return undefined;
    const timer = setInterval(reload, REFRESH_MS);
    return () => clearInterval(timer);
  }, [isMoving, reload]);
  return (
    <WhenLoaded
      loaded={loaded}
      failed={(error, notice) =>
        asProblem(error).code === 'unknown-notification' ? <NothingFound /> : notice
      }
    >
      {(timeline) => <Notification timeline={timeline} />}
    </WhenLoaded>
  );
}

function Notification({ timeline }: { timeline: NotificationTimeline }) {
  const { notificationId, status, channel, events, updatedAt, code, deadLetters } = timeline;
  const attempts = events.filter(({ event }) => event === 'attempt').length;
  return (
    <>
      <section class="card stack" aria-labelledby="notification-title">
        <div class="row-between">
          <h2 id="notification-title" class="breakable">
            {notificationId}
          </h2>
          <span role="status">
            <StatusBadge status={status} />
          </span>
        </div>
        <Definitions
          class="figure-list"
          items={[
            [t('channel'), t(channel)],
            [t('attempts'), formatNumber(attempts)],
            [t('updated'), formatMoment(updatedAt)],
            [t('code'), code],
          ]}
        />
        <h3>{t('timeline')}</h3>
        <Timeline timeline={timeline} />
      </section>
      {deadLetters !== undefined && <LetterLinks notificationId={notificationId} />}
    </>
  );
}

/** The dead letters of one notification. */
function LetterLinks({ notificationId }: { notificationId: string }) {
  const loaded = useLoaded(
    (signal) => listLetters({ ...NO_FILTERS, id: notificationId, all: true }, '', signal),
    [notificationId],
  );
  return (
    <section class="card stack">
      <h2>{t('ofLetters')}</h2>
      <WhenLoaded loaded={loaded}>
        {({ letters }) =>
          letters.length === 0 ? (
            <p class="soft">{t('noLetters')}</p>
          ) : (
            <ul class="stack tight">
              {letters.map(({ id, at, code, status }) => (
                <li key={id} class="row-between">
                  <a href={`${MESSAGES_PATH}/dead-letters/${id}`}>
                    {code}, {formatMoment(at)}
                  </a>
                  <LetterStatus status={status} />
                </li>
              ))}
            </ul>
          )
        }
      </WhenLoaded>
    </section>
  );
}
