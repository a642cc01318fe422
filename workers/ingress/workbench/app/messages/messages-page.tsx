import { useLocation } from 'preact-iso';
import { PageHead } from '../design/components.tsx';
import { WORKBENCH_PATH } from '../page-settings.ts';
import { FindNotification } from './find-notification.tsx';
import { DeadLetters } from './dead-letters.tsx';
import { LetterDetail } from './letter-detail.tsx';
import { Outbox, OutboxMessage } from './outbox.tsx';
import { t } from './texts.ts';

const MESSAGES_PATH = `${WORKBENCH_PATH}/messages`;

/** Notifications, dead letters and the local outbox. Each view has an address. */
export function MessagesPage() {
  const { path } = useLocation();
  const [view = '', ...rest] = path
    .slice(MESSAGES_PATH.length)
    .split('/')
    .filter(Boolean)
    .map(decodeURIComponent);
  return (
    <>
      <PageHead title={t('title')} lead={t('lead')} />
      <div class="stack messages-page">
        <nav class="views" aria-label={t('views')}>
          <ViewLink
            address={MESSAGES_PATH}
            isHere={view === '' || view === 'notifications'}
            label={t('find')}
          />
          <ViewLink
            address={`${MESSAGES_PATH}/dead-letters`}
            isHere={view === 'dead-letters'}
            label={t('deadLetters')}
          />
          <ViewLink address={`${MESSAGES_PATH}/outbox`} isHere={view === 'outbox'} label={t('outbox')} />
        </nav>
        <View messagesPath={MESSAGES_PATH} view={view} rest={rest} />
      </div>
    </>
  );
}

function ViewLink(props: { address: string; isHere: boolean; label: string }) {
  return (
    <a href={props.address} aria-current={props.isHere ? 'page' : undefined}>
      {props.label}
    </a>
  );
}

function View({ messagesPath, view, rest }: { messagesPath: string; view: string; rest: readonly string[] }) {
  const [first = ''] = rest;
  if (view === 'dead-letters') {
    return rest.length === 3 ? (
      <LetterDetail messagesPath={messagesPath} place={rest.join('/')} />
    ) : (
      <DeadLetters messagesPath={messagesPath} />
    );
  }
  if (view === 'outbox')
    return first === '' ? (
      <Outbox messagesPath={messagesPath} />
    ) : (
      <OutboxMessage messagesPath={messagesPath} id={first} />
    );
  return <FindNotification messagesPath={messagesPath} id={view === 'notifications' ? first : ''} />;
}
