import type {
  SystemProcess,
  SystemState,
  SystemWorker,
  SystemGroup,
} from '../../../../../shared/api/operations/system-state.ts';
import { Badge, Notice, type Tone } from '../design/components.tsx';
import { formatMoment, formatNumber } from '../format.ts';
import { faultText } from './system-finding.ts';
import { systemText as t } from '../texts.ts';
import { Table } from '../design/table.tsx';

const HEALTH: Readonly<Record<SystemWorker['status'], Tone>> = {
  ready: 'good',
  starting: 'accent',
  degraded: 'warn',
  unhealthy: 'bad',
};
const BREAKER = { closed: 'good', open: 'bad' } as const;

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
        <h3>{name === 'this' ? t('thisProcess') : name}</h3>
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

function FaultNotice({ lastReadAt, ...source }: Omit<SystemState['broker'], 'kind'>) {
  const fault = faultText(source);
  const text =
    lastReadAt === undefined
      ? t('unreadable', { fault })
      : t('readBefore', { fault, time: formatMoment(lastReadAt) });
  return <Notice tone="warn">{text}</Notice>;
}

export function Breakers({ breakers }: Pick<SystemState, 'breakers'>) {
  return (
    <section class="stack">
      <h2>{t('breakers')}</h2>
      {breakers.length === 0 && <p class="soft">{t('noBreakers')}</p>}
      <ul class="columns" style="--least: 17rem">
        {breakers.map(({ process, name, state }) => (
          <li key={`${process} ${name}`} class="row-between">
            <span class="breakable">
              {name} {process !== 'this' && <span class="small soft">{process}</span>}
            </span>
            <Badge tone={BREAKER[state]}>{t(state)}</Badge>
          </li>
        ))}
      </ul>
    </section>
  );
}

const STATE_TONES = { stable: 'good', rebalancing: 'accent', empty: 'bad', unused: 'neutral' } as const;

/** The lag of each group and partition. Folds groups of retry tiers away: their messages wait until they are due. */
export function Lag({ groups }: Pick<SystemState, 'groups'>) {
  const delayed = groups.filter((group) => group.delayed);
  const waiting = delayed.reduce((sum, { lag }) => sum + lag, 0);
  return (
    <section class="stack">
      <div>
        <h2>{t('lag')}</h2>
        <p class="small soft">{t('lagLead')}</p>
      </div>
      {groups
        .filter((group) => !group.delayed)
        .map((group) => (
          <Group key={group.groupId} group={group} />
        ))}
      {delayed.length > 0 && (
        <details>
          <summary>
            {t('delayed')}: <span class="figures">{formatNumber(waiting)}</span>
          </summary>
          <div class="stack">
            {delayed.map((group) => (
              <Group key={group.groupId} group={group} />
            ))}
          </div>
        </details>
      )}
    </section>
  );
}

function Group({ group }: { group: SystemGroup }) {
  const { groupId, topic, state, lag, members, partitions } = group;
  const isUsed = lag > 0 || partitions.some(({ committed = 0 }) => committed > 0);
  const shown = state !== 'empty' ? state : isUsed ? 'empty' : 'unused';
  const readerOf = ({ partition }: SystemGroup['partitions'][number]) =>
    members.find((member) => member.partitions.includes(partition));
  return (
    <details class="card card-tight">
      <summary>
        <span class="breakable">{groupId}</span> <Badge tone={STATE_TONES[shown]}>{t(shown)}</Badge>{' '}
        <span class={lag > 0 ? 'figures strong' : 'figures soft'}>
          {t('waitingIn', { count: formatNumber(lag) })}
        </span>
      </summary>
      <Table
        label={topic}
        class="table-dense"
        hasCaption
        rows={partitions}
        columns={[
          [t('partition'), ({ partition }) => partition, 'number'],
          [t('lagNow'), (one) => formatNumber(one.lag), 'number'],
          [
            t('committed'),
            ({ committed }) => (committed === undefined ? '–' : formatNumber(committed)),
            'number',
          ],
          [t('end'), ({ end }) => formatNumber(end), 'number'],
          [t('client'), (one) => <code>{readerOf(one)?.memberId ?? '–'}</code>, 'nowrap'],
          [t('host'), (one) => readerOf(one)?.host ?? '–'],
        ]}
      />
    </details>
  );
}
