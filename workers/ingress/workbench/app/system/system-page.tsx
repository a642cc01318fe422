import { useEffect, useState } from 'preact/hooks';
import type { Schemas } from '../schemas.ts';
import {
  asProblem,
  Badge,
  Button,
  Failure,
  Loading,
  Notice,
  PageHead,
  type Tone,
} from '../design/components.tsx';
import { formatMoment } from '../format.ts';
import { Lag } from './lag.tsx';
import { Overview } from './overview.tsx';
import { Breakers, Processes } from './processes.tsx';
import { RateTables } from './rate-tables.tsx';
import { Settings } from './settings.tsx';
import { t } from './texts.ts';
import { useSystem, type Connection, type System } from './use-system.ts';
import { SystemVerdict } from './verdict.tsx';

/** The state of the installation, live. */
export function SystemPage() {
  const system = useSystem();
  const { state, history, connection } = system;
  return (
    <>
      <PageHead title={t('title')} lead={t('lead')}>
        <LiveControl system={system} />
      </PageHead>
      <div class="stack system">
        <ConnectionNotice connection={connection} state={state} onConnect={system.connect} />
        {state === undefined && isAwaited(connection) && <Loading label={t('connecting')} />}
        {state !== undefined && connection.kind !== 'refused' && (
          <>
            <SystemVerdict state={state} isCurrent={connection.kind === 'live'} />
            <Overview state={state} history={history} />
            <Processes state={state} />
            <Breakers breakers={state.breakers} />
            <Lag groups={state.groups} history={history} />
            <RateTables rates={state.rates} history={history} />
            <Settings isLive={connection.kind === 'live'} />
            <p class="small soft">{t('version', { version: state.version })}</p>
          </>
        )}
      </div>
    </>
  );
}

/** Whether the first state is on its way. */
function isAwaited({ kind }: Connection): boolean {
  return kind === 'connecting' || kind === 'live';
}

const LABELS = {
  connecting: 'connecting',
  live: 'live',
  paused: 'paused',
  waiting: 'offline',
  refused: 'offline',
} as const;
const TONES: Readonly<Record<Connection['kind'], Tone>> = {
  connecting: 'neutral',
  live: 'good',
  paused: 'accent',
  waiting: 'bad',
  refused: 'bad',
};

/** Where the connection is, and its button. */
function LiveControl({ system: { connection, pause, connect } }: { system: System }) {
  const { kind } = connection;
  return (
    <>
      <Badge tone={TONES[kind]}>{t(LABELS[kind])}</Badge>
      {kind === 'paused' ? (
        <Button onClick={connect}>{t('resume')}</Button>
      ) : (
        <Button onClick={pause} disabled={kind === 'refused'}>
          {t('pause')}
        </Button>
      )}
    </>
  );
}

interface NoticeProps {
  readonly connection: Connection;
  readonly state: Schemas['SystemState'] | undefined;
  readonly onConnect: () => void;
}

/** Says that the server has gone or that the token does not suffice. */
function ConnectionNotice({ connection, state, onConnect }: NoticeProps) {
  if (connection.kind === 'refused') return <Refusal error={connection.error} onConnect={onConnect} />;
  if (connection.kind !== 'waiting') return null;
  return (
    <Notice tone="bad">
      <strong>{t('goneTitle')}</strong>
      <p aria-live="off">
        <Countdown until={connection.retryAtMs} since={state?.at} />
      </p>
      <div>
        <Button small onClick={onConnect}>
          {t('reconnect')}
        </Button>
      </div>
    </Notice>
  );
}

/** A missing or invalid token is asked for by the frame of the workbench. */
function Refusal({ error, onConnect }: { error: unknown; onConnect: () => void }) {
  const { status, correlationId } = asProblem(error);
  if (status !== 403) return <Failure error={error} onRetry={onConnect} />;
  return (
    <Notice tone="bad">
      <strong>{t('refusedTitle')}</strong>
      <p>{t('refusedText')}</p>
      {correlationId !== undefined && <p class="small soft">{t('refusedId', { id: correlationId })}</p>}
    </Notice>
  );
}

function Countdown({ until, since }: { until: number; since: string | undefined }) {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, []);
  const seconds = Math.max(0, Math.ceil((until - now) / 1_000));
  const text =
    since === undefined ? t('goneFirst', { seconds }) : t('goneText', { seconds, time: formatMoment(since) });
  return <>{text}</>;
}
