import { useLocation } from 'preact-iso';
import { useEffect, useState } from 'preact/hooks';
import { EngineError } from '../engine-error.ts';
import type { Schemas } from '../schemas.ts';
import { Badge, Empty, Failure, Field, Loading, type Tone } from '../design/components.tsx';
import { useLoaded } from '../design/use-loaded.ts';
import { formatMoment } from '../format.ts';
import { TOKEN_REQUIRED } from '../page-settings.ts';
import { LetterLinks } from './letter-links.tsx';
import { findByReference, findTimeline } from './operations-api.ts';
import { t } from './texts.ts';
import { Timeline } from './timeline.tsx';

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** A notification on its way is read again after this time. */
const REFRESH_MS = 3_000;

/** The tone and the name of each status. */
export const STATUSES: Readonly<
  Record<Schemas['NotificationTimeline']['status'], readonly [Tone, Parameters<typeof t>[0]]>
> = {
  accepted: ['neutral', 'accepted'],
  sending: ['accent', 'status_sending'],
  retrying: ['warn', 'retrying'],
  sent: ['good', 'sent'],
  failed: ['bad', 'failed'],
  parked: ['bad', 'parked'],
};

/** Finds a notification by id or Idempotency-Key; both are in the address. */
export function FindNotification({ messagesPath, id }: { messagesPath: string; id: string }) {
  const { query, route } = useLocation();
  const { reference = '', caller = '' } = query;
  const search = (text: string, owner: string): void => {
    if (UUID.test(text)) route(`${messagesPath}/notifications/${text.toLowerCase()}`);
    else if (text !== '') {
      route(
        `${messagesPath}?${new URLSearchParams({ reference: text, ...(owner === '' ? {} : { caller: owner }) })}`,
      );
    }
  };
  return (
    <>
      <SearchForm
        key={id + reference}
        initial={id === '' ? reference : id}
        caller={caller}
        onSearch={search}
      />
      {id !== '' && <Found id={id} messagesPath={messagesPath} />}
      {id === '' && reference !== '' && (
        <ByReference messagesPath={messagesPath} reference={reference} caller={caller} />
      )}
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
      <Field label={t('idOrReference')} hint={t('idHint')}>
        {(control) => (
          <input
            {...control}
            class="input"
            value={text}
            maxLength={300}
            spellcheck={false}
            autocomplete="off"
            onInput={(event) => setText(event.currentTarget.value)}
          />
        )}
      </Field>
      {TOKEN_REQUIRED && (
        <Field label={t('caller')} hint={t('callerHint')}>
          {(control) => (
            <input
              {...control}
              class="input"
              value={caller}
              maxLength={300}
              spellcheck={false}
              autocomplete="off"
              onInput={(event) => setCaller(event.currentTarget.value)}
            />
          )}
        </Field>
      )}
      <button class="button button-primary" type="submit">
        {t('search')}
      </button>
    </form>
  );
}

function ByReference({
  messagesPath,
  reference,
  caller,
}: {
  messagesPath: string;
  reference: string;
  caller: string;
}) {
  const [found, reload] = useLoaded(
    (signal) => findByReference(reference, caller, signal),
    [reference, caller],
  );
  if (found.state === 'loading') return <Loading />;
  if (found.state === 'failed') return <Failure error={found.error} onRetry={reload} />;
  const [only, ...others] = found.value.notifications;
  if (only === undefined) return <NothingFound />;
  if (others.length === 0) return <Found id={only.notificationId} messagesPath={messagesPath} />;
  return (
    <ul class="result-list">
      {found.value.notifications.map(({ notificationId, channel, status, updatedAt }) => (
        <li key={notificationId} class="card card-tight row-between">
          <a href={`${messagesPath}/notifications/${notificationId}`}>
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
}

function NothingFound() {
  return (
    <Empty title={t('nothingFound')}>
      <p>{t('nothingFoundHint')}</p>
    </Empty>
  );
}

function StatusBadge({ status }: { status: Schemas['NotificationTimeline']['status'] }) {
  const [tone, name] = STATUSES[status];
  return <Badge tone={tone}>{t(name)}</Badge>;
}

function Found({ id, messagesPath }: { id: string; messagesPath: string }) {
  const [found, reload] = useLoaded((signal) => findTimeline(id, signal), [id]);
  const status = found.state === 'loaded' ? found.value.status : undefined;
  const isMoving = status === 'accepted' || status === 'sending' || status === 'retrying';
  useEffect(() => {
    if (!isMoving) return undefined;
    const timer = setInterval(reload, REFRESH_MS);
    return () => clearInterval(timer);
  }, [isMoving, reload]);
  if (found.state === 'loading') return <Loading />;
  if (found.state === 'failed') {
    const isUnknown = found.error instanceof EngineError && found.error.code === 'unknown-notification';
    return isUnknown ? <NothingFound /> : <Failure error={found.error} onRetry={reload} />;
  }
  const timeline = found.value;
  return (
    <>
      <section class="card stack" aria-labelledby="notification-title">
        <div class="row-between">
          <h2 id="notification-title" class="breakable">
            {timeline.notificationId}
          </h2>
          <span role="status">
            <StatusBadge status={timeline.status} />
          </span>
        </div>
        <dl class="figure-list">
          <div>
            <dt>{t('channel')}</dt>
            <dd>{t(timeline.channel)}</dd>
          </div>
          <div>
            <dt>{t('attempts')}</dt>
            <dd>{timeline.events.filter(({ event }) => event === 'attempt').length}</dd>
          </div>
          <div>
            <dt>{t('updated')}</dt>
            <dd>{formatMoment(timeline.updatedAt)}</dd>
          </div>
          {timeline.code !== undefined && (
            <div>
              <dt>{t('code')}</dt>
              <dd>{timeline.code}</dd>
            </div>
          )}
        </dl>
        <h3>{t('timeline')}</h3>
        <Timeline timeline={timeline} />
      </section>
      {timeline.deadLetters !== undefined && (
        <LetterLinks messagesPath={messagesPath} notificationId={timeline.notificationId} />
      )}
    </>
  );
}
