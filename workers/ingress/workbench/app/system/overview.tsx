import type { ComponentChildren } from 'preact';
import type { Schemas } from '../schemas.ts';
import { formatDuration, formatNumber } from '../format.ts';
import { TOTAL, totalsOf, type Figures } from './figures.ts';
import { Sparkline } from './sparkline.tsx';
import { t } from './texts.ts';

interface OverviewProps {
  readonly state: Schemas['SystemState'];
  readonly history: readonly (Figures | undefined)[];
}

/** The figures of the whole system with their past. */
export function Overview({ state, history }: OverviewProps) {
  const { requestsPerSecond, slowestMs, waiting, failed } = totalsOf(state);
  const line = (name: string) => <Sparkline history={history} name={name} />;
  return (
    <dl class="tiles" aria-label={t('overview')}>
      <Tile label={t('requests')} value={formatNumber(requestsPerSecond, 1)} note={t('lastMinutes')}>
        {line(TOTAL.requests)}
      </Tile>
      <Tile
        label={t('slowest')}
        value={slowestMs === undefined ? '–' : formatDuration(slowestMs)}
        note={t('longestTime')}
      >
        {line(TOTAL.slowest)}
      </Tile>
      <Tile label={t('waiting')} value={formatNumber(waiting)} note={t('withoutRetries')}>
        {line(TOTAL.waiting)}
      </Tile>
      <Tile label={t('failed')} value={formatNumber(failed)} note={t('lastMinutes')}>
        {line(TOTAL.failed)}
      </Tile>
      <Catalogue state={state} />
    </dl>
  );
}

function Catalogue({ state: { catalogue, at } }: { state: Schemas['SystemState'] }) {
  if (catalogue === undefined) return null;
  const { version, changedAt } = catalogue;
  const ageMs = changedAt === undefined ? undefined : Math.max(0, Date.parse(at) - Date.parse(changedAt));
  const note = ageMs === undefined ? t('noCatalogue') : t('changedAgo', { age: formatDuration(ageMs) });
  return <Tile label={t('catalogue')} value={formatNumber(version)} note={note} />;
}

interface TileProps {
  readonly label: string;
  readonly value: string;
  readonly note: string;
  readonly children?: ComponentChildren;
}

function Tile({ label, value, note, children }: TileProps) {
  return (
    <div class="card card-tight tile">
      <dt>{label}</dt>
      <dd>
        <span class="tile-value">{value}</span>
        {children}
        <span class="small soft">{note}</span>
      </dd>
    </div>
  );
}
