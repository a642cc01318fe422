import { useState } from 'preact/hooks';
import { EngineError } from '../engine-error.ts';
import type { Schemas } from '../schemas.ts';
import { Button, Empty, Failure, Loading, TableFrame, Tabs } from '../design/components.tsx';
import { useLoaded } from '../design/use-loaded.ts';
import { formatMoment } from '../format.ts';
import { listOutbox, readOutbox } from './operations-api.ts';
import { t } from './texts.ts';

/** The newest messages of the local outbox. */
export function Outbox({ messagesPath }: { messagesPath: string }) {
  const [loaded, reload] = useLoaded((signal) => listOutbox(signal), []);
  if (loaded.state === 'loading') return <Loading />;
  if (loaded.state === 'failed') return <OutboxFailure error={loaded.error} onRetry={reload} />;
  const { messages } = loaded.value;
  if (messages.length === 0) {
    return (
      <Empty title={t('outboxEmpty')}>
        <p>{t('outboxEmptyHint')}</p>
        <Button onClick={reload}>{t('refresh')}</Button>
      </Empty>
    );
  }
  return (
    <div class="stack">
      <div class="row-between">
        <p class="soft">{t('outboxLead')}</p>
        <Button small onClick={reload}>
          {t('refresh')}
        </Button>
      </div>
      <TableFrame label={t('outbox')}>
        <table class="table">
          <thead>
            <tr>
              <th scope="col">{t('subject')}</th>
              <th scope="col">{t('to')}</th>
              <th scope="col" class="wide-only">
                {t('from')}
              </th>
              <th scope="col">{t('channel')}</th>
              <th scope="col">{t('when')}</th>
            </tr>
          </thead>
          <tbody>
            {messages.map(({ id, channel, subject, receiver, sender, writtenAt }) => (
              <tr key={id}>
                <th scope="row">
                  <a href={`${messagesPath}/outbox/${id}`}>
                    {subject !== '' ? subject : channel === 'sms' ? t('sms') : t('noSubject')}
                  </a>
                </th>
                <td class="breakable">{receiver}</td>
                <td class="wide-only breakable">{sender}</td>
                <td>{t(channel)}</td>
                <td class="figures">{formatMoment(writtenAt)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </TableFrame>
    </div>
  );
}

function OutboxFailure({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  const isAbsent = error instanceof EngineError && error.status === 404;
  if (!isAbsent) return <Failure error={error} onRetry={onRetry} />;
  return (
    <Empty title={t('noOutbox')}>
      <p>{error.problem?.detail ?? t('noOutboxHint')}</p>
    </Empty>
  );
}

type Part = 'rendered' | 'text' | 'headers';

/** One message: as its receiver sees it, as text, and its header lines. */
export function OutboxMessage({ messagesPath, id }: { messagesPath: string; id: string }) {
  const [loaded, reload] = useLoaded((signal) => readOutbox(id, signal), [id]);
  return (
    <>
      <div>
        <a href={`${messagesPath}/outbox`}>{t('backOutbox')}</a>
      </div>
      {loaded.state === 'loading' && <Loading />}
      {loaded.state === 'failed' && <OutboxFailure error={loaded.error} onRetry={reload} />}
      {loaded.state === 'loaded' && <Message messagesPath={messagesPath} message={loaded.value} />}
    </>
  );
}

function Message({ messagesPath, message }: { messagesPath: string; message: Schemas['OutboxMessage'] }) {
  const { id, channel, subject, sender, receiver, headers, text, htmlAddress, files } = message;
  const parts: readonly Part[] =
    htmlAddress === undefined ? ['text', 'headers'] : ['rendered', 'text', 'headers'];
  const [part, setPart] = useState<Part>(parts[0] ?? 'text');
  return (
    <section class="card stack" aria-labelledby="message-title">
      <h2 id="message-title">{subject === '' ? t(channel) : subject}</h2>
      <dl class="definition-list">
        <dt>{t('from')}</dt>
        <dd>{sender}</dd>
        <dt>{t('to')}</dt>
        <dd>{receiver}</dd>
        <dt>{t('notification')}</dt>
        <dd>
          <a href={`${messagesPath}/notifications/${id}`}>{id}</a>
        </dd>
        {files.length > 0 && (
          <>
            <dt>{t('files')}</dt>
            <dd>{files.join(', ')}</dd>
          </>
        )}
      </dl>
      <Tabs
        label={t('details')}
        tabs={parts.map((key) => ({ key, label: t(key) }))}
        selected={part}
        onSelect={setPart}
      >
        {part === 'rendered' && htmlAddress !== undefined && (
          <iframe class="mail-frame" title={t('rendered')} src={htmlAddress} sandbox="" />
        )}
        {part === 'text' && (
          <pre class="code" tabIndex={0} role="region" aria-label={t('text')}>
            {text}
          </pre>
        )}
        {part === 'headers' && (
          <pre class="code" tabIndex={0} role="region" aria-label={t('headers')}>
            {headers.join('\n')}
          </pre>
        )}
      </Tabs>
    </section>
  );
}
