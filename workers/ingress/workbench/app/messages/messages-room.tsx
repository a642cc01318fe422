import { useLocation } from 'preact-iso';
import { RoomHead } from '../design/components.tsx';
import { WORKBENCH_PATH } from '../page-settings.ts';
import { FindNotification } from './find-notification.tsx';
import { DeadLetters } from './dead-letters.tsx';
import { LetterDetail } from './letter-detail.tsx';
import { Outbox, OutboxMessage } from './outbox.tsx';
import { t } from './texts.ts';

const ROOM = `${WORKBENCH_PATH}/messages`;

/** Notifications, dead letters and the local outbox. Each view has an address. */
export function MessagesRoom() {
  const { path } = useLocation();
  const [view = '', ...rest] = path.slice(ROOM.length).split('/').filter(Boolean).map(decodeURIComponent);
  return (
    <>
      <RoomHead title={t('title')} lead={t('lead')} />
      <div class="stack messages-room">
        <nav class="views" aria-label={t('views')}>
          <ViewLink address={ROOM} isHere={view === '' || view === 'notifications'} label={t('find')} />
          <ViewLink
            address={`${ROOM}/dead-letters`}
            isHere={view === 'dead-letters'}
            label={t('deadLetters')}
          />
          <ViewLink address={`${ROOM}/outbox`} isHere={view === 'outbox'} label={t('outbox')} />
        </nav>
        <View room={ROOM} view={view} rest={rest} />
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

function View({ room, view, rest }: { room: string; view: string; rest: readonly string[] }) {
  const [first = ''] = rest;
  if (view === 'dead-letters') {
    return rest.length === 3 ? (
      <LetterDetail room={room} place={rest.join('/')} />
    ) : (
      <DeadLetters room={room} />
    );
  }
  if (view === 'outbox')
    return first === '' ? <Outbox room={room} /> : <OutboxMessage room={room} id={first} />;
  return <FindNotification room={room} id={view === 'notifications' ? first : ''} />;
}
