import { useId, useState } from 'preact/hooks';
import type { Schemas } from '../schemas.ts';
import { Badge, TableFrame, type Tone } from '../design/components.tsx';
import { formatNumber } from '../format.ts';
import { lagKey, type Figures } from './figures.ts';
import { Sparkline } from './sparkline.tsx';
import { t } from './texts.ts';

interface LagProps {
  readonly groups: readonly Schemas['SystemGroup'][];
  readonly history: readonly (Figures | undefined)[];
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

function Groups({ label, groups, history }: LagProps & { label: string }) {
  return (
    <TableFrame label={label}>
      <table class="table lag-table">
        <thead>
          <tr>
            <th scope="col">{t('worker')}</th>
            <th scope="col">{t('partitions')}</th>
            <th scope="col" class="number">
              {t('lagNow')}
            </th>
            <th scope="col" class="wide-only">
              {t('lastMinutes')}
            </th>
            <th scope="col" class="number medium-only">
              {t('members')}
            </th>
            <th scope="col">{t('groupState')}</th>
          </tr>
        </thead>
        {groups.map((group) => (
          <GroupRows key={group.groupId} group={group} history={history} />
        ))}
      </table>
    </TableFrame>
  );
}

const COLUMNS = 6;

function GroupRows({ group, history }: { group: Schemas['SystemGroup']; history: LagProps['history'] }) {
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  const { groupId, topic, lag, members } = group;
  const { tone, text } = stateOf(group);
  return (
    <tbody>
      <tr>
        <th scope="row">
          <button
            type="button"
            class="fold"
            aria-expanded={isOpen}
            aria-controls={id}
            aria-label={t('details', { name: groupId })}
            onClick={() => setOpen(!isOpen)}
          >
            {shortName(groupId)}
          </button>
          <span class="small soft topic">{topic}</span>
        </th>
        <td>
          <Strip group={group} />
        </td>
        <td class={lag > 0 ? 'number strong' : 'number'}>{formatNumber(lag)}</td>
        <td class="wide-only">
          <Sparkline history={history} name={lagKey(group)} />
        </td>
        <td class="number medium-only">{formatNumber(members.length)}</td>
        <td>
          <Badge tone={tone}>{text}</Badge>
        </td>
      </tr>
      <tr id={id} hidden={!isOpen} class="lag-details">
        {isOpen && (
          <td colSpan={COLUMNS}>
            <Details group={group} />
          </td>
        )}
      </tr>
    </tbody>
  );
}

/** The group without what all have in common: the prefix of the installation stays readable in the details. */
function shortName(groupId: string): string {
  return groupId.replace(/^plat\./, '');
}

function stateOf({ state, lag, partitions }: Schemas['SystemGroup']): { tone: Tone; text: string } {
  if (state === 'stable') return { tone: 'good', text: t('stable') };
  if (state === 'rebalancing') return { tone: 'accent', text: t('rebalancing') };
  const isUsed = lag > 0 || partitions.some(({ committed = 0 }) => committed > 0);
  return isUsed ? { tone: 'bad', text: t('empty') } : { tone: 'neutral', text: t('unused') };
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
    <ul class="shades small soft figures">
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
function Strip({ group: { partitions, groupId } }: { group: Schemas['SystemGroup'] }) {
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

function Details({ group }: { group: Schemas['SystemGroup'] }) {
  const { groupId, members, partitions } = group;
  const readerOf = (partition: number) => members.find((member) => member.partitions.includes(partition));
  return (
    <div class="stack">
      <p>
        {t('group')}: <code>{groupId}</code>
      </p>
      <table class="table table-dense">
        <thead>
          <tr>
            <th scope="col" class="number">
              {t('partition')}
            </th>
            <th scope="col" class="number">
              {t('lagNow')}
            </th>
            <th scope="col" class="number">
              {t('committed')}
            </th>
            <th scope="col" class="number">
              {t('end')}
            </th>
            <th scope="col">{t('client')}</th>
            <th scope="col">{t('host')}</th>
          </tr>
        </thead>
        <tbody>
          {partitions.map(({ partition, lag, committed, end }) => {
            const reader = readerOf(partition);
            return (
              <tr key={partition}>
                <td class="number">{partition}</td>
                <td class={lag > 0 ? 'number strong' : 'number'}>{formatNumber(lag)}</td>
                <td class="number">{committed === undefined ? '–' : formatNumber(committed)}</td>
                <td class="number">{formatNumber(end)}</td>
                <td>{reader === undefined ? '–' : <code>{reader.memberId}</code>}</td>
                <td>{reader?.host ?? '–'}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}
