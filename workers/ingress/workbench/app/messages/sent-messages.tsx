import { Button, CodeText, Definitions, Empty } from '../design/components.tsx';
import { asProblem } from '../engine-error.ts';
import { useJson, WhenLoaded } from '../design/loaded.tsx';
import { Table } from '../design/table.tsx';
import { formatMoment } from '../format.ts';
import type { OutboxList, OutboxReply } from '../../../../../shared/api/operations/notification-lists.ts';
import { MESSAGES_PATH, OPERATIONS } from './message-calls.ts';
import { messagesText as t } from '../texts.ts';

export function Outbox() {
  const loaded = useJson<OutboxList>(`${OPERATIONS}/outbox`);
  const { reload } = loaded;
  return (
    <WhenLoaded
      loaded={loaded}
      // An instance with providers or with Kafka has no outbox and answers 404.
      failed={(error, notice) => {
        const { status, detail = t('noOutboxHint') } = asProblem(error);
        return status === 404 ? <Empty title={t('noOutbox')}>{detail}</Empty> : notice;
      }}
    >
      {({ messages }) =>
        messages.length === 0 ? (
          <Empty title={t('outboxEmpty')} text={t('outboxEmptyHint')}>
            <Button onClick={reload}>{t('refresh')}</Button>
          </Empty>
        ) : (
          <div class="stack">
            <div class="row-between">
              <p class="soft">{t('outboxLead')}</p>
              <Button small onClick={reload}>
                {t('refresh')}
              </Button>
            </div>
            <Table
              label={t('outbox')}
              rows={messages}
              columns={[
                [
                  t('subject'),
                  ({ id, subject, channel }) => (
                    <a href={`${MESSAGES_PATH}/outbox/${id}`}>
                      {subject === '' ? t(channel === 'sms' ? 'sms' : 'noSubject') : subject}
                    </a>
                  ),
                ],
                [t('to'), ({ receiver }) => receiver, 'breakable'],
                [t('from'), ({ sender }) => sender, 'breakable wide-only'],
                [t('channel'), ({ channel }) => t(channel)],
                [t('when'), ({ writtenAt }) => formatMoment(writtenAt), 'figures'],
              ]}
            />
          </div>
        )
      }
    </WhenLoaded>
  );
}

export function OutboxMessage({ id }: { id: string }) {
  return (
    <>
      <div>
        <a href={`${MESSAGES_PATH}/outbox`}>{t('backOutbox')}</a>
      </div>
      <WhenLoaded loaded={useJson<OutboxReply>(`${OPERATIONS}/outbox/${encodeURIComponent(id)}`)}>
        {(message) => <Message message={message} />}
      </WhenLoaded>
    </>
  );
}

function Message({ message }: { message: OutboxReply }) {
  const { id, channel, subject, sender, receiver, headers, text, htmlAddress, files } = message;
  return (
    <section class="card stack" aria-labelledby="message-title">
      <h2 id="message-title">{subject === '' ? t(channel) : subject}</h2>
      <Definitions
        items={[
          [t('from'), sender],
          [t('to'), receiver],
          [t('notification'), <a href={`${MESSAGES_PATH}/notifications/${id}`}>{id}</a>],
          [t('files'), files.join(', ')],
        ]}
      />
      {htmlAddress !== undefined && (
        <iframe class="mail-frame" title={t('rendered')} src={htmlAddress} sandbox="" />
      )}
      <h3>{t('text')}</h3>
      <CodeText label={t('text')} text={text} />
      <h3>{t('headers')}</h3>
      <CodeText label={t('headers')} text={headers.join('\n')} />
    </section>
  );
}
