import { useState } from 'preact/hooks';
import { CodeText, CopyButton, Definitions, Notice } from '../design/components.tsx';
import { useJson, WhenLoaded } from '../design/loaded.tsx';
import { Table } from '../design/table.tsx';
import { formatMoment, formatNumber } from '../format.ts';
import { ActionDialog } from './action-dialog.tsx';
import { DeadLetterActions, DeadLetterStatus } from './dead-letter-list.tsx';
import { MESSAGES_PATH, OPERATIONS, type DeadLetter, type DeadLetterAction } from './message-calls.ts';
import { messagesText as t } from '../texts.ts';

/** `place`: the id of a dead letter, `topic/partition/offset`. */
export function DeadLetterDetail({ place }: { place: string }) {
  const path = place.split('/').map(encodeURIComponent).join('/');
  const loaded = useJson<DeadLetter>(`${OPERATIONS}/dead-letters/${path}`);
  const [action, setAction] = useState<DeadLetterAction>();
  return (
    <>
      <div>
        <a href={`${MESSAGES_PATH}/dead-letters`}>{t('back')}</a>
      </div>
      <WhenLoaded loaded={loaded}>
        {(letter) => (
          <>
            <Facts letter={letter} onAction={setAction} />
            <Payload letter={letter} />
            <History letter={letter} />
            <Audit letter={letter} />
          </>
        )}
      </WhenLoaded>
      {action !== undefined && (
        <ActionDialog
          action={action}
          chosen={{ selection: { ids: [place] }, count: 1 }}
          onClose={(hasActed) => {
            setAction(undefined);
            if (hasActed) loaded.reload();
          }}
        />
      )}
    </>
  );
}

function Facts(props: { letter: DeadLetter; onAction: (action: DeadLetterAction) => void }) {
  const { letter, onAction } = props;
  return (
    <section class="card stack" aria-labelledby="dead-letter-title">
      <div class="row-between">
        <div>
          <h2 id="dead-letter-title">{letter.code}</h2>
          <p class="soft small breakable">{letter.id}</p>
        </div>
        <DeadLetterStatus status={letter.status} />
      </div>
      <Definitions
        items={[
          [t('reason'), letter.reason],
          [t('when'), formatMoment(letter.at)],
          [t('origin'), letter.from],
          [t('written'), letter.fromAt && formatMoment(letter.fromAt)],
          [t('group'), letter.group],
          [t('attempts'), formatNumber(letter.attempts)],
          [t('redrives'), formatNumber(letter.redrives)],
          [t('key'), letter.key],
          [
            t('notification'),
            letter.notificationId && (
              <a href={`${MESSAGES_PATH}/notifications/${letter.notificationId}`}>{letter.notificationId}</a>
            ),
          ],
        ]}
      />
      <DeadLetterActions canMarkSent={letter.code === 'outcome-unknown'} onAction={onAction} />
    </section>
  );
}

function Payload({ letter: { payload, headers } }: { letter: DeadLetter }) {
  const { type, format, bytes, content, isHidden, notes } = payload;
  const text = content === undefined ? '' : JSON.stringify(content, undefined, 2);
  return (
    <section class="card stack">
      <div class="row-between">
        <h2>{t('payload')}</h2>
        {text !== '' && <CopyButton text={() => text} />}
      </div>
      <p class="soft">
        {[type, format, `${formatNumber(bytes)} B`].filter(Boolean).join(' · ')} · {t('masked')}
      </p>
      {isHidden === true && <Notice tone="warn">{t('hidden')}</Notice>}
      {notes.length > 0 && (
        <ul>
          {notes.map((note) => (
            <li key={note}>{note}</li>
          ))}
        </ul>
      )}
      {text !== '' && <CodeText label={t('payload')} text={text} />}
      <h3>{t('headers')}</h3>
      <Definitions
        class="definition-list small"
        items={Object.entries(headers).map(([name, value]) => [name, <>{value}</>])}
      />
    </section>
  );
}

interface PastAttempt {
  readonly attempt: number;
  readonly at?: number;
  readonly provider?: string;
  readonly result?: string;
  readonly code?: string;
}

function History({ letter: { history } }: { letter: DeadLetter }) {
  if (history.length === 0) return null;
  return (
    <section class="card stack">
      <h2>{t('history')}</h2>
      <Table
        label={t('attempts')}
        rows={history.map((text) => JSON.parse(text) as PastAttempt)}
        columns={[
          ['', ({ attempt, provider = '' }) => t('attempt', { round: attempt, provider })],
          ['', ({ at }) => at !== undefined && formatMoment(at), 'figures'],
          ['', ({ result }) => result],
          ['', ({ code }) => code !== undefined && <code>{code}</code>],
        ]}
      />
    </section>
  );
}

function Audit({ letter: { audit, isAuditComplete } }: { letter: DeadLetter }) {
  return (
    <section class="card stack" aria-labelledby="audit-title">
      <h2 id="audit-title">{t('audit')}</h2>
      {!isAuditComplete && <Notice tone="warn">{t('earlierSteps')}</Notice>}
      {audit.length === 0 ? (
        <p class="soft">{t('noAudit')}</p>
      ) : (
        <Table
          label={t('actions')}
          rows={audit}
          header={-1}
          columns={[
            [t('when'), ({ at }) => formatMoment(at), 'figures'],
            [t('who'), ({ operator }) => operator, 'breakable'],
            [
              t('what'),
              ({ action, stage, members = [], overrides = [] }) =>
                [`${t(action)}, ${stage}`, ...members, ...overrides].join(', '),
            ],
            [t('reason'), ({ reason }) => reason],
            [t('result'), ({ result }) => result, 'breakable small'],
          ]}
        />
      )}
    </section>
  );
}
