import { useLocation } from 'preact-iso';
import { useState, useEffect } from 'preact/hooks';
import { withQuery } from '../api.ts';
import { Badge, Button, Definitions, Empty, type Tone } from '../design/components.tsx';
import { asProblem } from '../engine-error.ts';
import { ChoiceField, Form, TextField } from '../design/fields.tsx';
import { useJson, useReload, WhenLoaded } from '../design/loaded.tsx';
import { Table } from '../design/table.tsx';
import { formatMoment, formatNumber, formatDuration } from '../format.ts';
import { TOKEN_REQUIRED } from '../page-settings.ts';
import type {
  FoundNotifications,
  NotificationTimeline,
  TimelineEvent,
} from '../../../../../shared/api/operations/notification-lists.ts';
import { MESSAGES_PATH, OPERATIONS } from './message-calls.ts';
import { messagesText as t } from '../texts.ts';

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const REFRESH_MS = 3_000;

const STATUSES: Readonly<Record<NotificationTimeline['status'], readonly [Tone, Parameters<typeof t>[0]]>> = {
  accepted: ['neutral', 'accepted'],
  sending: ['accent', 'status_sending'],
  retrying: ['warn', 'retrying'],
  sent: ['good', 'sent'],
  failed: ['bad', 'failed'],
  parked: ['bad', 'parked'],
  scheduled: ['neutral', 'status_scheduled'],
  suppressed: ['warn', 'suppressed'],
  cancelled: ['neutral', 'cancelled'],
  undelivered: ['bad', 'undelivered'],
  delivered: ['good', 'delivered'],
  bounced: ['bad', 'bounced'],
  complained: ['warn', 'complained'],
};

export function FindNotification({ id }: { id: string }) {
  const { reference = '', caller = '' } = useLocation().query;
  return (
    <>
      <SearchForm key={id + reference} initial={id === '' ? reference : id} initialCaller={caller} />
      {id === '' ? <Notifications /> : <Found id={id} />}
    </>
  );
}

function SearchForm({ initial, initialCaller }: { initial: string; initialCaller: string }) {
  const { route } = useLocation();
  const [text, setText] = useState(initial);
  const [caller, setCaller] = useState(initialCaller);
  const search = (): void => {
    const reference = text.trim();
    if (UUID.test(reference)) return route(`${MESSAGES_PATH}/notifications/${reference.toLowerCase()}`);
    if (reference !== '') route(withQuery(MESSAGES_PATH, { reference, caller: caller.trim() }));
  };
  return (
    <Form class="card card-tight search-form" role="search" onSubmit={search}>
      <TextField label={t('idOrReference')} hint={t('idHint')} value={text} onChange={setText} />
      {TOKEN_REQUIRED && (
        <TextField label={t('caller')} hint={t('callerHint')} value={caller} onChange={setCaller} />
      )}
      <Button kind="primary" type="submit">
        {t('search')}
      </Button>
    </Form>
  );
}

const FILTERS = {
  status: Object.entries(STATUSES).map(([name, [, text]]) => [name, text] as const),
  channel: (['sms', 'email'] as const).map((name) => [name, name] as const),
};

/** Those with the Idempotency-Key that is searched, or the recent ones. */
function Notifications() {
  const { query, route } = useLocation();
  const { reference = '', caller = '', status = '', channel = '', cursor = '' } = query;
  const filters = { status, channel };
  const loaded = useJson<FoundNotifications>(
    withQuery(`${OPERATIONS}/notifications`, { reference, caller, ...filters, cursor }),
  );
  const open = (changed: Readonly<Record<string, string>> = {}): void =>
    route(withQuery(MESSAGES_PATH, { ...filters, ...changed }));
  const isSearch = reference !== '';
  return (
    <div class="stack">
      <div class="row-between" hidden={isSearch}>
        <h2>{t('recent')}</h2>
        <div class="row" style="align-items: end" role="group" aria-label={t('filter')}>
          {(['status', 'channel'] as const).map((name) => (
            <ChoiceField
              key={name}
              label={t(name)}
              value={filters[name]}
              onChange={(chosen) => open({ [name]: chosen })}
              options={[['', t('any')], ...FILTERS[name].map(([value, text]) => [value, t(text)] as const)]}
            />
          ))}
          <Button onClick={loaded.reload}>{t('refresh')}</Button>
        </div>
      </div>
      <WhenLoaded
        loaded={loaded}
        // Callers without the scope of operators can still search their own notifications.
        failed={(error, notice) =>
          asProblem(error).code === 'forbidden' && !isSearch ? (
            <Empty title={t('searchFirst')} text={t('searchFirstHint')} />
          ) : (
            notice
          )
        }
      >
        {(page) => {
          if (!isSearch) return <Page {...{ page, query, open }} />;
          const [only, ...others] = page.notifications;
          if (only === undefined) return <NothingFound />;
          return others.length === 0 ? <Found id={only.notificationId} /> : <NotificationTable {...page} />;
        }}
      </WhenLoaded>
    </div>
  );
}

function Page(props: {
  page: FoundNotifications;
  query: Readonly<Record<string, string>>;
  open: (changed?: { readonly cursor: string }) => void;
}) {
  const { page, query, open } = props;
  const { notifications, nextCursor } = page;
  const isFirst = query['cursor'] === undefined;
  const isWhole = isFirst && nextCursor === undefined;
  if (notifications.length === 0 && isWhole && (query['status'] ?? query['channel']) === undefined)
    return <Empty title={t('noNotifications')} text={t('noNotificationsHint')} />;
  return (
    <>
      {notifications.length === 0 ? <p class="soft">{t('noneOnPage')}</p> : <NotificationTable {...page} />}
      <nav class="row" aria-label={t('pages')} hidden={isWhole}>
        {!isFirst && <Button onClick={() => open()}>{t('first')}</Button>}
        {nextCursor !== undefined && (
          <Button onClick={() => open({ cursor: nextCursor })}>{t('next')}</Button>
        )}
      </nav>
    </>
  );
}

function NothingFound() {
  return <Empty title={t('nothingFound')} text={t('nothingFoundHint')} />;
}

function NotificationTable({ notifications }: Pick<FoundNotifications, 'notifications'>) {
  return (
    <Table
      label={t('recent')}
      rows={notifications}
      columns={[
        [
          t('notification'),
          ({ notificationId, updatedAt }) => (
            <>
              <a class="breakable" href={`${MESSAGES_PATH}/notifications/${notificationId}`}>
                {notificationId}
              </a>
              <div class="soft small figures narrow-only">{formatMoment(updatedAt)}</div>
            </>
          ),
        ],
        [t('status'), ({ status }) => <StatusBadge status={status} />],
        [t('updated'), ({ updatedAt }) => formatMoment(updatedAt), 'figures nowrap wide-only'],
        [t('channel'), ({ channel }) => t(channel), 'wide-only'],
        [t('provider'), ({ provider }) => provider, 'breakable wide-only'],
        [t('category'), ({ category }) => category && t(category), 'wide-only'],
        [t('receiverHash'), ({ receiverHash }) => <code>{receiverHash}</code>, 'wide-only'],
      ]}
    />
  );
}

function StatusBadge({ status }: { status: NotificationTimeline['status'] }) {
  const [tone, name] = STATUSES[status];
  return <Badge tone={tone}>{t(name)}</Badge>;
}

function Found({ id }: { id: string }) {
  const loaded = useJson<NotificationTimeline>(`${OPERATIONS}/notifications/${encodeURIComponent(id)}`);
  const status = loaded.value?.status;
  const isMoving = status === 'accepted' || status === 'sending' || status === 'retrying';
  useReload(loaded, isMoving ? REFRESH_MS : undefined);
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
        <NotificationSteps timeline={timeline} />
      </section>
      {deadLetters !== undefined && (
        <a href={withQuery(`${MESSAGES_PATH}/dead-letters`, { id: notificationId, all: 'true' })}>
          {t('ofDeadLetters')}
        </a>
      )}
    </>
  );
}

const SHOWN_WAIT_MS = 1_000;

function NotificationSteps({ timeline }: { timeline: NotificationTimeline }) {
  const { events, hasEarlierAttempts } = timeline;
  return (
    <ol class="stack timeline">
      {hasEarlierAttempts && <li class="soft small">{t('earlier')}</li>}
      {events.map((event, index) => {
        const { tone, title, text } = describe(event);
        const waitedMs = Date.parse(event.at) - Date.parse(events[index - 1]?.at ?? event.at);
        return (
          <li key={`${event.event} ${event.at}`} class={`timeline-step timeline-${tone}`}>
            {waitedMs >= SHOWN_WAIT_MS && (
              <div class="soft small">{t('later', { time: formatDuration(waitedMs) })}</div>
            )}
            <strong>{title}</strong>
            <time class="soft small figures" dateTime={event.at}>
              {formatMoment(event.at)}
            </time>
            {text}
          </li>
        );
      })}
    </ol>
  );
}

const RESULT_TONES = {
  sent: 'good',
  transient: 'warn',
  permanent: 'bad',
  misconfigured: 'bad',
  unknown: 'bad',
} as const;

function describe(event: TimelineEvent) {
  if (event.event === 'accepted')
    return { tone: 'neutral', title: t('accepted'), text: <p class="soft">{t('acceptedLead')}</p> };
  if (event.event === 'attempt') {
    const { round, provider, result, code } = event;
    const text = <Coded text={t(`result_${result}`)} code={code} />;
    return { tone: RESULT_TONES[result], title: t('attempt', { round, provider }), text };
  }
  if (event.event === 'sending') {
    const { round, providers, until } = event;
    const text = (
      <>
        {providers.length > 0 && <p>{t('sendingTo', { providers: providers.join(', ') })}</p>}
        {until !== undefined && <p class="soft">{t('sendingUntil', { time: formatMoment(until) })}</p>}
      </>
    );
    return { tone: 'accent', title: t('sending', { round }), text };
  }
  if (event.event === 'retry')
    return { tone: 'warn', title: t('retry', { round: event.round }), text: <Due at={event.at} /> };
  const { code, providerMessageId } = event;
  const text = (
    <>
      {event.event === 'parked' && <p class="soft">{t('parkedLead')}</p>}
      {code !== undefined && <Coded text="" code={code} />}
      {providerMessageId !== undefined && <Coded text={`${t('providerId')}:`} code={providerMessageId} />}
    </>
  );
  return { tone: STATUSES[event.event][0], title: t(event.event), text };
}

function Coded({ text, code }: { text: string; code: string | undefined }) {
  return (
    <p class="breakable">
      {text} {code !== undefined && <code>{code}</code>}
    </p>
  );
}

function Due({ at }: { at: string }) {
  const [nowMs, setNowMs] = useState(Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNowMs(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, []);
  const leftMs = Date.parse(at) - nowMs;
  return <p class="soft">{leftMs <= 0 ? t('retryNow') : t('retryIn', { time: formatDuration(leftMs) })}</p>;
}
