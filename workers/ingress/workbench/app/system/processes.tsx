import type {
  SystemProcess,
  SystemState,
  SystemWorker,
} from '../../../../../shared/api/operations/system-state.ts';
import { Badge, Notice, type Tone } from '../design/components.tsx';
import { formatMoment } from '../format.ts';
import { faultText } from './finding-text.ts';
import { t } from './texts.ts';

const HEALTH: Readonly<Record<SystemWorker['status'], Tone>> = {
  ready: 'good',
  starting: 'accent',
  degraded: 'warn',
  unhealthy: 'bad',
};
const BREAKER = { closed: 'good', open: 'bad' } as const;

/** The processes with their workers, and the reasons of those that are not ready. */
export function Processes({ state: { processes, broker } }: { state: SystemState }) {
  return (
    <section class="stack">
      <div>
        <h2>{t('processes')}</h2>
        <p class="small soft">{t(broker.kind === 'embedded' ? 'embedded' : 'overKafka')}</p>
      </div>
      {broker.fault !== undefined && <FaultNotice {...broker} />}
      <ul class="columns" style="--least: 20rem">
        {processes.map((process) => (
          <Process key={process.name} process={process} />
        ))}
      </ul>
    </section>
  );
}

function Process({ process: { name, startedAt, workers, ...reading } }: { process: SystemProcess }) {
  return (
    <li class="card card-tight stack">
      <div class="row-between">
        <h3>{nameOfProcess(name)}</h3>
        {startedAt !== undefined && (
          <span class="small soft figures">{t('since', { time: formatMoment(startedAt) })}</span>
        )}
      </div>
      {reading.fault !== undefined && <FaultNotice {...reading} />}
      <ul class="columns" style="--least: 14rem">
        {workers.map(({ name: worker, status, reason }) => (
          <li key={worker}>
            <div class="row-between">
              <span>{worker}</span>
              <Badge tone={HEALTH[status]}>{t(status)}</Badge>
            </div>
            {reason !== undefined && <p class="small soft breakable">{reason}</p>}
          </li>
        ))}
      </ul>
    </li>
  );
}

/** The name of a process as it is shown. */
export function nameOfProcess(name: string): string {
  return name === 'this' ? t('thisProcess') : name;
}

function FaultNotice({ lastReadAt, ...source }: Omit<SystemState['broker'], 'kind'>) {
  const fault = faultText(source);
  const text =
    lastReadAt === undefined
      ? t('unreadable', { fault })
      : t('readBefore', { fault, time: formatMoment(lastReadAt) });
  return <Notice tone="warn">{text}</Notice>;
}

/** The circuit breakers of providers: those that are not closed, the others folded away. */
export function Breakers({ breakers }: Pick<SystemState, 'breakers'>) {
  const closed = breakers.filter(({ state }) => state === 'closed');
  const others = breakers.filter(({ state }) => state !== 'closed');
  return (
    <section class="stack">
      <h2>{t('breakers')}</h2>
      {breakers.length === 0 && <p class="soft">{t('noBreakers')}</p>}
      {others.length > 0 && <BreakerList breakers={others} />}
      {closed.length > 0 && (
        <details>
          <summary>{t('closedBreakers', { count: closed.length })}</summary>
          <BreakerList breakers={closed} />
        </details>
      )}
    </section>
  );
}

function BreakerList({ breakers }: Pick<SystemState, 'breakers'>) {
  return (
    <ul class="columns" style="--least: 17rem">
      {breakers.map(({ process, name, state }) => (
        <li key={`${process} ${name}`}>
          <div class="row-between">
            <span class="breakable">
              <span class="small soft">
                {t('provider')}
                {process === 'this' ? '' : ` · ${process}`}
              </span>{' '}
              {name}
            </span>
            <Badge tone={BREAKER[state]}>{t(state)}</Badge>
          </div>
        </li>
      ))}
    </ul>
  );
}
