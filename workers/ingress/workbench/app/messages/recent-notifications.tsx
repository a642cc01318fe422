import type { ComponentChildren } from 'preact';
import { useLocation } from 'preact-iso';
import { withQuery } from '../api.ts';
import { Button, Empty } from '../design/components.tsx';
import { asProblem } from '../engine-error.ts';
import { ChoiceField } from '../design/fields.tsx';
import { useJson, WhenLoaded } from '../design/loaded.tsx';
import { Table } from '../design/table.tsx';
import { formatMoment } from '../format.ts';
import type { FoundNotifications } from '../../../../../shared/api/operations/notification-lists.ts';
import { MESSAGES_PATH, OPERATIONS } from './message-calls.ts';
import { StatusBadge, STATUSES } from './find-notification.tsx';
import { messagesText as t } from '../texts.ts';

type Filters = Readonly<Record<'status' | 'channel', string>>;

/** The list of notifications, unless one is searched. */
export function RecentNotifications() {
  const { query, route } = useLocation();
  const { status = '', channel = '', cursor = '' } = query;
  const filters: Filters = { status, channel };
  const loaded = useJson<FoundNotifications>(
    withQuery(`${OPERATIONS}/notifications`, { ...filters, cursor }),
  );
  const open = (changed: Partial<Filters>, next = ''): void =>
    route(withQuery(MESSAGES_PATH, { ...filters, ...changed, cursor: next }));
  return (
    <div class="stack">
      <div class="row-between">
        <h2>{t('recent')}</h2>
        <ListFilters filters={filters} open={open}>
          <Button onClick={loaded.reload}>{t('refresh')}</Button>
        </ListFilters>
      </div>
      <WhenLoaded
        loaded={loaded}
        // Callers without the scope of operators can still search their own notifications.
        failed={(error, notice) =>
          asProblem(error).code === 'forbidden' ? (
            <Empty title={t('searchFirst')} text={t('searchFirstHint')} />
          ) : (
            notice
          )
        }
      >
        {({ notifications, nextCursor }) => (
          <>
            {notifications.length === 0 ? (
              <NoNotifications
                isAlone={nextCursor === undefined && cursor === ''}
                isFiltered={status + channel !== ''}
              />
            ) : (
              <NotificationTable notifications={notifications} />
            )}
            <nav class="row" aria-label={t('pages')} hidden={nextCursor === undefined && cursor === ''}>
              {cursor !== '' && <Button onClick={() => open({})}>{t('first')}</Button>}
              {nextCursor !== undefined && <Button onClick={() => open({}, nextCursor)}>{t('next')}</Button>}
            </nav>
          </>
        )}
      </WhenLoaded>
    </div>
  );
}

function ListFilters(props: {
  filters: Filters;
  open: (changed: Partial<Filters>) => void;
  children: ComponentChildren;
}) {
  const { filters, open, children } = props;
  const choice = (name: keyof Filters, options: readonly (readonly [string, string])[]) => (
    <ChoiceField
      label={t(name)}
      value={filters[name]}
      onChange={(chosen) => open({ [name]: chosen })}
      options={[['', t('any')], ...options]}
    />
  );
  const statuses = Object.entries(STATUSES).map(([name, [, text]]) => [name, t(text)] as const);
  return (
    <div class="row" style="align-items: end" role="group" aria-label={t('filter')}>
      {choice('status', statuses)}
      {choice('channel', [
        ['sms', t('sms')],
        ['email', t('email')],
      ])}
      {children}
    </div>
  );
}

function NoNotifications({ isAlone, isFiltered }: { isAlone: boolean; isFiltered: boolean }) {
  if (!isAlone) return <p class="soft">{t('noneOnPage')}</p>;
  return <Empty title={t('noNotifications')} text={t(isFiltered ? 'noneMatch' : 'noNotificationsHint')} />;
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
