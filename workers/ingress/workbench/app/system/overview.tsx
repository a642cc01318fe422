import type { ComponentChildren } from 'preact';
import type { SystemState } from '../../../../../shared/api/operations/system-state.ts';
import { formatDuration, formatNumber } from '../format.ts';
import { Sparkline } from './sparkline.tsx';
import { t } from './texts.ts';
import type { History } from './use-system.ts';

type State = SystemState;

const requestsOf = ({ rates }: State) => rates.filter(({ kind }) => kind === 'request');
const perSecond = (state: State): number => requestsOf(state).reduce((sum, one) => sum + one.perSecond, 0);
/** The p99 of the slowest action; undefined without requests. */
const slowest = (state: State): number | undefined =>
  requestsOf(state)
    .flatMap(({ p99Ms }) => p99Ms ?? [])
    .toSorted((one, other) => other - one)[0];
/** Without messages that wait until they are due. */
const waiting = ({ groups }: State): number =>
  groups.reduce((sum, { lag, delayed }) => sum + (delayed ? 0 : lag), 0);
const failed = ({ rates }: State): number => rates.reduce((sum, one) => sum + one.failed, 0);

/** The figures of the whole system with their past. */
export function Overview({ state, history }: { state: State; history: History }) {
  const slowestMs = slowest(state);
  const tiles = [
    ['requests', formatNumber(perSecond(state), 1), 'lastMinutes', perSecond],
    ['slowest', slowestMs === undefined ? '–' : formatDuration(slowestMs), 'longestTime', slowest],
    ['waiting', formatNumber(waiting(state)), 'withoutRetries', waiting],
    ['failed', formatNumber(failed(state)), 'lastMinutes', failed],
  ] as const;
  return (
    <dl class="columns" style="--least: 10rem" aria-label={t('overview')}>
      {tiles.map(([label, value, note, figure]) => (
        <Tile key={label} label={t(label)} value={value} note={t(note)}>
          <Sparkline history={history} figure={figure} />
        </Tile>
      ))}
      <Catalogue state={state} />
    </dl>
  );
}

function Catalogue({ state: { catalogue, at } }: { state: State }) {
  if (catalogue === undefined) return null;
  const { version, changedAt } = catalogue;
  const ageMs = changedAt === undefined ? undefined : Math.max(0, Date.parse(at) - Date.parse(changedAt));
  const note = ageMs === undefined ? t('noCatalogue') : t('changedAgo', { age: formatDuration(ageMs) });
  return <Tile label={t('catalogue')} value={formatNumber(version)} note={note} />;
}

function Tile(props: { label: string; value: string; note: string; children?: ComponentChildren }) {
  return (
    <div class="card card-tight tile">
      <dt class="small strong">{props.label}</dt>
      <dd>
        <span class="tile-value">{props.value}</span>
        {props.children}
        <span class="small soft">{props.note}</span>
      </dd>
    </div>
  );
}
