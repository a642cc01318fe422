import { useRoute } from 'preact-iso';
import { PageHead } from '../design/components.tsx';
import { DeadLetters } from './dead-letter-list.tsx';
import { FindNotification } from './find-notification.tsx';
import { DeadLetterDetail } from './dead-letter-detail.tsx';
import { MESSAGES_PATH } from './message-calls.ts';
import { Outbox, OutboxMessage } from './sent-messages.tsx';
import { messagesText as t } from '../texts.ts';

const VIEWS = [
  ['find', ''],
  ['deadLetters', '/dead-letters'],
  ['outbox', '/outbox'],
] as const;

export function MessagesPage() {
  const [view = '', ...rest] = (useRoute().params['rest'] ?? '').split('/');
  const here = view === 'notifications' ? '' : view;
  return (
    <>
      <PageHead title={t('title')} lead={t('lead')} />
      <div class="stack messages-page">
        <nav class="tabs" aria-label={t('views')}>
          {VIEWS.map(([name, address]) => (
            <a
              key={name}
              href={MESSAGES_PATH + address}
              aria-current={address.slice(1) === here ? 'page' : undefined}
            >
              {t(name)}
            </a>
          ))}
        </nav>
        <View view={view} rest={rest} />
      </div>
    </>
  );
}

function View({ view, rest }: { view: string; rest: readonly string[] }) {
  const [first = ''] = rest;
  if (view === 'dead-letters') {
    return rest.length === 3 ? <DeadLetterDetail place={rest.join('/')} /> : <DeadLetters />;
  }
  if (view === 'outbox') return first === '' ? <Outbox /> : <OutboxMessage id={first} />;
  return <FindNotification id={view === 'notifications' ? first : ''} />;
}
