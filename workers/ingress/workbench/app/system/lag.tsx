import { Badge } from '../design/components.tsx';
import { Table, useOpenRows } from '../design/table.tsx';
import { formatNumber } from '../format.ts';
import type { SystemGroup, SystemState } from '../../../../../shared/api/operations/system-state.ts';
import { Sparkline } from './sparkline.tsx';
import { t } from './texts.ts';
import type { History } from './use-system.ts';

type Group = SystemGroup;

interface LagProps {
  readonly groups: readonly Group[];
  readonly history: History;
}

/** What waits by group, topic and partition. Retry tiers, whose messages wait by intent, are folded away. */
export function Lag({ groups, history }: LagProps) {
  const delayed = groups.filter((group) => group.delayed);
  const waiting = delayed.reduce((sum, { lag }) => sum + lag, 0);
  return (
    <section class="stack">
      <div>
        <h2>{t('lag')}</h2>
        <p class="small soft">{t('lagLead')}</p>
        <Legend />
      </div>
      <Groups label={t('lag')} groups={groups.filter((group) => !group.delayed)} history={history} />
      {delayed.length > 0 && (
        <details>
          <summary>
            {t('delayed')}: <span class="figures">{formatNumber(waiting)}</span>
          </summary>
          <Groups label={t('delayed')} groups={delayed} history={history} />
        </details>
      )}
    </section>
  );
}

const lagOf = (groupId: string) => (state: SystemState) =>
  state.groups.find((group) => group.groupId === groupId)?.lag;

function Groups({ label, groups, history }: LagProps & { label: string }) {
  const [open, button] = useOpenRows();
  const name = ({ groupId, topic }: Group, index: number) => (
    <>
      {button(index, shortName(groupId), t('details', { name: groupId }))}
      <small class="soft breakable">{topic}</small>
    </>
  );
  return (
    <Table
      label={label}
      class="lag-table"
      rows={groups}
      details={(group, index) => open.has(index) && <Details group={group} />}
      columns={[
        [t('worker'), name],
        [t('partitions'), (group) => <Strip group={group} />],
        [t('lagNow'), ({ lag }) => <Waiting lag={lag} />, 'number'],
        [
          t('lastMinutes'),
          ({ groupId }) => <Sparkline history={history} figure={lagOf(groupId)} />,
          'wide-only',
        ],
        [t('members'), ({ members }) => formatNumber(members.length), 'number wide-only'],
        [t('groupState'), (group) => <GroupState group={group} />],
      ]}
    />
  );
}

/** The group without what all have in common: the prefix of the installation stays readable in the details. */
function shortName(groupId: string): string {
  return groupId.replace(/^plat\./, '');
}

function GroupState({ group: { state, lag, partitions } }: { group: Group }) {
  const isUsed = lag > 0 || partitions.some(({ committed = 0 }) => committed > 0);
  const shown = state !== 'empty' ? state : isUsed ? 'empty' : 'unused';
  return <Badge tone={STATE_TONES[shown]}>{t(shown)}</Badge>;
}

const STATE_TONES = { stable: 'good', rebalancing: 'accent', empty: 'bad', unused: 'neutral' } as const;

function Waiting({ lag }: { lag: number }) {
  return <span class={lag > 0 ? 'strong' : undefined}>{formatNumber(lag)}</span>;
}

/** A partition with more messages than a bound has the next darker shade; 0 is that of a partition without any. */
const BOUNDS = [0, 10, 100, 1_000] as const;

function shadeOf(lag: number): number {
  return BOUNDS.filter((bound) => lag > bound).length;
}

/** What the shades mean. */
function Legend() {
  const ranges = BOUNDS.map((bound, shade) => {
    const before = BOUNDS[shade - 1];
    return before === undefined ? formatNumber(bound) : `${formatNumber(before + 1)}–${formatNumber(bound)}`;
  });
  return (
    <ul class="row small soft figures chart-legend">
      {[...ranges, t('more')].map((range, shade) => (
        <li key={range}>
          <span class={`shade shade-${shade}`} aria-hidden="true" />
          {range}
        </li>
      ))}
    </ul>
  );
}

/** One square for each partition. */
function Strip({ group: { partitions, groupId } }: { group: Group }) {
  const behind = partitions.filter(({ lag }) => lag > 0);
  const worst = behind.toSorted((one, other) => other.lag - one.lag)[0];
  const count = partitions.length;
  const label =
    worst === undefined
      ? t('stripNone', { count })
      : t('stripSome', {
          count,
          some: behind.length,
          worst: worst.partition,
          lag: formatNumber(worst.lag),
        });
  return (
    <span class="strip" role="img" aria-label={label} title={`${groupId}: ${label}`}>
      {partitions.map(({ partition, lag }) => (
        <span key={partition} class={`shade shade-${shadeOf(lag)}`} />
      ))}
    </span>
  );
}

function Details({ group }: { group: Group }) {
  const { groupId, members, partitions } = group;
  const readerOf = ({ partition }: Group['partitions'][number]) =>
    members.find((member) => member.partitions.includes(partition));
  return (
    <div class="stack">
      <p>
        {t('group')}: <code>{groupId}</code>
      </p>
      <Table
        label={t('details', { name: groupId })}
        class="table-dense"
        rows={partitions}
        header={-1}
        columns={[
          [t('partition'), ({ partition }) => partition, 'number'],
          [t('lagNow'), ({ lag }) => <Waiting lag={lag} />, 'number'],
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
    </div>
  );
}
