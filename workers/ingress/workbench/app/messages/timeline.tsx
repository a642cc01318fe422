import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type {
  NotificationTimeline,
  TimelineEvent,
} from '../../../../../shared/api/operations/notification-lists.ts';
import type { Tone } from '../design/components.tsx';
import { formatDuration, formatMoment } from '../format.ts';
import { t } from './texts.ts';

/** Waits shorter than this are not drawn. */
const SHOWN_WAIT_MS = 1_000;
const PIXELS_PER_DECADE = 16;
const MAX_WAIT_PIXELS = 96;

/**
 * What has happened to a notification, from top to bottom. The line between two events is longer the longer the wait was (each
 * tenfold time adds the same length), and says how long that was.
 */
export function Timeline({ timeline }: { timeline: NotificationTimeline }) {
  const { events, hasEarlierAttempts } = timeline;
  return (
    <ol class="timeline">
      {hasEarlierAttempts && <li class="soft small">{t('earlier')}</li>}
      {events.map((event, index) => (
        <Step key={`${event.event} ${event.at}`} event={event} waitedMs={waitBefore(events, index)} />
      ))}
    </ol>
  );
}

function waitBefore(events: readonly TimelineEvent[], index: number): number {
  const before = events[index - 1];
  const own = events[index];
  return before === undefined || own === undefined ? 0 : Date.parse(own.at) - Date.parse(before.at);
}

function Step({ event, waitedMs }: { event: TimelineEvent; waitedMs: number }) {
  const { tone, title, text, isExpected = false } = describe(event);
  const pixels = Math.min(MAX_WAIT_PIXELS, PIXELS_PER_DECADE * Math.log10(Math.max(1, waitedMs / 100)));
  return (
    <li class={`timeline-step timeline-${tone}${isExpected ? ' timeline-expected' : ''}`}>
      {waitedMs >= SHOWN_WAIT_MS && (
        <div class="timeline-wait soft small" style={{ minBlockSize: `${Math.round(pixels)}px` }}>
          {t('later', { time: formatDuration(waitedMs) })}
        </div>
      )}
      <div class="timeline-event">
        <strong>{title}</strong>
        <time class="soft small figures" dateTime={event.at}>
          {formatMoment(event.at)}
        </time>
        {text}
      </div>
    </li>
  );
}

interface Description {
  readonly tone: Tone;
  readonly title: string;
  readonly text?: ComponentChildren;
  /** It has not happened yet. */
  readonly isExpected?: boolean;
}

const RESULT_TONES = {
  sent: 'good',
  transient: 'warn',
  permanent: 'bad',
  misconfigured: 'bad',
  unknown: 'bad',
} as const;

function describe(event: TimelineEvent): Description {
  switch (event.event) {
    case 'accepted':
      return { tone: 'neutral', title: t('accepted'), text: <p class="soft">{t('acceptedLead')}</p> };
    case 'attempt': {
      const { round, provider, result, code } = event;
      const text = (
        <p>
          {t(`result_${result}`)}
          {code !== undefined && (
            <>
              {' '}
              <code>{code}</code>
            </>
          )}
        </p>
      );
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
      return {
        tone: 'warn',
        title: t('retry', { round: event.round }),
        text: <Due at={event.at} />,
        isExpected: true,
      };
    case 'sent':
    case 'failed':
    case 'parked':
      return {
        tone: event.event === 'sent' ? 'good' : 'bad',
        title: t(event.event),
        text: <Ending event={event} />,
      };
    default:
      throw new Error(`unknown event ${JSON.stringify(event satisfies never)}`);
  }
}

function Ending({ event }: { event: Extract<TimelineEvent, { event: 'sent' | 'failed' | 'parked' }> }) {
  const { code, providerMessageId } = event;
  return (
    <>
      {event.event === 'parked' && <p class="soft">{t('parkedLead')}</p>}
      {code !== undefined && (
        <p>
          <code>{code}</code>
        </p>
      )}
      {providerMessageId !== undefined && (
        <p class="soft breakable">
          {t('providerId')}: <code>{providerMessageId}</code>
        </p>
      )}
    </>
  );
}

/** How long it takes until a time, by the second. */
function Due({ at }: { at: string }) {
  const [nowMs, setNowMs] = useState(Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNowMs(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, []);
  const leftMs = Date.parse(at) - nowMs;
  return <p class="soft">{leftMs <= 0 ? t('retryNow') : t('retryIn', { time: formatDuration(leftMs) })}</p>;
}
