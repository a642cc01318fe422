import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { Schemas } from '../schemas.ts';
import { Badge, Button, CopyButton, Failure, Loading, Notice, TableFrame } from '../design/components.tsx';
import { useLoaded } from '../design/use-loaded.ts';
import { formatMoment, formatNumber } from '../format.ts';
import { ActionDialog } from './action-dialog.tsx';
import { LETTER_STATUSES } from './letter-statuses.ts';
import { showLetter, type LetterAction } from './operations-api.ts';
import { t } from './texts.ts';

/** One dead letter: why, what, where from, and who did what with it. */
export function LetterDetail({ messagesPath, place }: { messagesPath: string; place: string }) {
  const [loaded, reload] = useLoaded((signal) => showLetter(place, signal), [place]);
  const [action, setAction] = useState<LetterAction>();
  return (
    <>
      <div>
        <a href={`${messagesPath}/dead-letters`}>{t('back')}</a>
      </div>
      {loaded.state === 'loading' && <Loading />}
      {loaded.state === 'failed' && <Failure error={loaded.error} onRetry={reload} />}
      {loaded.state === 'loaded' && (
        <>
          <Facts messagesPath={messagesPath} letter={loaded.value} onAction={setAction} />
          <Payload letter={loaded.value} />
          <History letter={loaded.value} />
          <Audit letter={loaded.value} />
        </>
      )}
      {action !== undefined && (
        <ActionDialog
          action={action}
          chosen={{ selection: { ids: [place] }, count: 1 }}
          onClose={(hasActed) => {
            setAction(undefined);
            if (hasActed) reload();
          }}
        />
      )}
    </>
  );
}

function Facts(props: {
  messagesPath: string;
  letter: Schemas['DeadLetter'];
  onAction: (action: LetterAction) => void;
}) {
  const { messagesPath, letter, onAction } = props;
  const facts: readonly (readonly [string, ComponentChildren])[] = [
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
        <a href={`${messagesPath}/notifications/${letter.notificationId}`}>{letter.notificationId}</a>
      ),
    ],
  ];
  return (
    <section class="card stack" aria-labelledby="letter-title">
      <div class="row-between">
        <div>
          <h2 id="letter-title">{letter.code}</h2>
          <p class="soft small breakable">{letter.id}</p>
        </div>
        <Badge tone={LETTER_STATUSES[letter.status]}>{t(`status_${letter.status}`)}</Badge>
      </div>
      <dl class="definition-list">
        {facts.map(([name, value]) =>
          value === undefined || value === null || value === '' ? null : (
            <>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </>
          ),
        )}
      </dl>
      <div class="row no-print" role="group" aria-label={t('actions')}>
        <Button kind="primary" onClick={() => onAction('redrive')}>
          {t('redrive')}
        </Button>
        <Button onClick={() => onAction('edit')}>{t('edit')}</Button>
        {letter.code === 'outcome-unknown' && (
          <Button onClick={() => onAction('mark-sent')}>{t('mark-sent')}</Button>
        )}
        <Button kind="danger" onClick={() => onAction('discard')}>
          {t('discard')}
        </Button>
      </div>
    </section>
  );
}

function Payload({ letter: { payload, headers } }: { letter: Schemas['DeadLetter'] }) {
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
        <ul class="plain-list">
          {notes.map((note) => (
            <li key={note}>{note}</li>
          ))}
        </ul>
      )}
      {text !== '' && (
        <pre class="code" tabIndex={0} role="region" aria-label={t('payload')}>
          {text}
        </pre>
      )}
      <h3>{t('headers')}</h3>
      <dl class="definition-list small">
        {Object.entries(headers).map(([name, value]) => (
          <>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </>
        ))}
      </dl>
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

function History({ letter: { history } }: { letter: Schemas['DeadLetter'] }) {
  if (history.length === 0) return null;
  const attempts = history.map((text) => JSON.parse(text) as PastAttempt);
  return (
    <section class="card stack">
      <h2>{t('history')}</h2>
      <TableFrame label={t('attempts')}>
        <table class="table">
          <tbody>
            {attempts.map(({ attempt, at, provider = '', result = '', code = '' }) => (
              <tr key={`${attempt} ${at} ${provider}`}>
                <th scope="row">{t('attempt', { round: attempt, provider })}</th>
                <td class="figures">{at === undefined ? '' : formatMoment(at)}</td>
                <td>
                  {result} {code !== '' && <code>{code}</code>}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </TableFrame>
    </section>
  );
}

function Audit({ letter: { audit, isAuditComplete } }: { letter: Schemas['DeadLetter'] }) {
  return (
    <section class="card stack" aria-labelledby="audit-title">
      <h2 id="audit-title">{t('audit')}</h2>
      {!isAuditComplete && <Notice tone="warn">{t('earlierSteps')}</Notice>}
      {audit.length === 0 ? (
        <p class="soft">{t('noAudit')}</p>
      ) : (
        <TableFrame label={t('actions')}>
          <table class="table">
            <thead>
              <tr>
                <th scope="col">{t('when')}</th>
                <th scope="col">{t('who')}</th>
                <th scope="col">{t('what')}</th>
                <th scope="col">{t('reason')}</th>
                <th scope="col">{t('result')}</th>
              </tr>
            </thead>
            <tbody>
              {audit.map(({ at, operator, action, stage, reason, result, members, overrides }) => (
                <tr key={`${at} ${stage}`}>
                  <td class="figures">{formatMoment(at)}</td>
                  <td class="breakable">{operator}</td>
                  <td>
                    {t(action)}, {stage}
                    <div class="soft small">{[...(members ?? []), ...(overrides ?? [])].join(', ')}</div>
                  </td>
                  <td>{reason}</td>
                  <td class="breakable small">{result}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </TableFrame>
      )}
    </section>
  );
}
