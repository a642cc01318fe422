import { useLocation } from 'preact-iso';
import { useState, useEffect } from 'preact/hooks';
import type { z } from 'zod';
import { withQuery } from '../api.ts';
import { Badge, Button, Definitions, Empty, type Tone } from '../design/components.tsx';
import { asProblem } from '../engine-error.ts';
import { Form, TextField } from '../design/fields.tsx';
import { useJson, useReload, WhenLoaded } from '../design/loaded.tsx';
import { formatMoment, formatNumber, formatDuration } from '../format.ts';
import { TOKEN_REQUIRED } from '../page-settings.ts';
import type {
  NotificationTimeline,
  foundNotifications,
  TimelineEvent,
} from '../../../../../shared/api/operations/notification-lists.ts';
import { MESSAGES_PATH, OPERATIONS } from './message-calls.ts';
import { messagesText as t } from '../texts.ts';

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const REFRESH_MS = 3_000;

export const STATUSES: Readonly<
  Record<NotificationTimeline['status'], readonly [Tone, Parameters<typeof t>[0]]>
> = {
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
      {id !== '' && <Found id={id} />}
      {id === '' && reference !== '' && <ByReference reference={reference} caller={caller} />}
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

function ByReference({ reference, caller }: { reference: string; caller: string }) {
  const address = withQuery(`${OPERATIONS}/notifications`, { reference, caller });
  const loaded = useJson<z.infer<typeof foundNotifications>>(address);
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
  return <Empty title={t('nothingFound')} text={t('nothingFoundHint')} />;
}

export function StatusBadge({ status }: { status: NotificationTimeline['status'] }) {
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
  switch (event.event) {
    case 'accepted':
      return { tone: 'neutral', title: t('accepted'), text: <p class="soft">{t('acceptedLead')}</p> };
    case 'attempt': {
      const { round, provider, result, code } = event;
      const text = <Coded text={t(`result_${result}`)} code={code} />;
      return { tone: RESULT_TONES[result], title: t('attempt', { round, provider }), text };
    }
    case 'sending': {
      const { round, providers, until } = event;
      const text = (
        <>
          {providers.length > 0 && <p>{t('sendingTo', { providers: providers.join(', ') })}</p>}
          {until !== undefined && <p class="soft">{t('sendingUntil', { time: formatMoment(until) })}</p>}
        </>
      );
      return { tone: 'accent', title: t('sending', { round }), text };
    }
    case 'retry':
      return { tone: 'warn', title: t('retry', { round: event.round }), text: <Due at={event.at} /> };
    case 'sent':
    case 'failed':
    case 'parked':
    case 'suppressed':
    case 'cancelled':
    case 'undelivered':
    case 'delivered':
    case 'bounced':
    case 'complained':
    default: {
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
  }
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
