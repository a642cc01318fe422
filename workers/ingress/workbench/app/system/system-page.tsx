import { Badge, Button, Failure, Loading, Notice, PageHead, type Tone } from '../design/components.tsx';
import { asProblem } from '../engine-error.ts';
import { formatMoment } from '../format.ts';
import type { SystemState } from '../../../../../shared/api/operations/system-state.ts';
import { Lag } from './lag.tsx';
import { Overview } from './overview.tsx';
import { Breakers, Processes } from './processes.tsx';
import { RateTables } from './rate-tables.tsx';
import { Settings } from './settings.tsx';
import { t } from './texts.ts';
import { useSystem, type Connection, type System } from './use-system.ts';
import { SystemVerdict } from './verdict.tsx';

const CONNECTIONS = {
  connecting: ['neutral', 'connecting'],
  live: ['good', 'live'],
  paused: ['accent', 'paused'],
  waiting: ['bad', 'offline'],
  refused: ['bad', 'offline'],
} as const satisfies Readonly<Record<Connection['kind'], readonly [Tone, string]>>;

/** The state of the installation, live. */
export function SystemPage() {
  const { state, history, connection, connect, pause } = useSystem();
  const { kind } = connection;
  const [tone, label] = CONNECTIONS[kind];
  return (
    <>
      <PageHead title={t('title')} lead={t('lead')}>
        <Badge tone={tone}>{t(label)}</Badge>
        {kind === 'paused' ? (
          <Button onClick={connect}>{t('resume')}</Button>
        ) : (
          <Button onClick={pause} disabled={kind === 'refused'}>
            {t('pause')}
          </Button>
        )}
      </PageHead>
      <div class="stack system">
        {kind === 'refused' && <Refusal error={connection.error} onConnect={connect} />}
        {kind === 'waiting' && (
          <Notice tone="bad">
            <strong>{t('goneTitle')}</strong>
            <p>{state === undefined ? t('goneFirst') : t('goneText', { time: formatMoment(state.at) })}</p>
          </Notice>
        )}
        {kind === 'connecting' && state === undefined && <Loading label={t('connecting')} />}
        {kind !== 'refused' && state !== undefined && (
          <State state={state} history={history} isCurrent={kind === 'live'} />
        )}
      </div>
    </>
  );
}

function State(props: { state: SystemState; history: System['history']; isCurrent: boolean }) {
  const { state, history, isCurrent } = props;
  return (
    <>
      <SystemVerdict state={state} isCurrent={isCurrent} />
      <Overview state={state} history={history} />
      <Processes state={state} />
      <Breakers breakers={state.breakers} />
      <Lag groups={state.groups} history={history} />
      <RateTables rates={state.rates} history={history} />
      <Settings startedAt={state.processes[0]?.startedAt} />
      <p class="small soft">{t('version', { version: state.version })}</p>
    </>
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
