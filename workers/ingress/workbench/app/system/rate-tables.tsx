import { Table } from '../design/table.tsx';
import { formatDuration, formatNumber } from '../format.ts';
import type { Schemas } from '../schemas.ts';
import { durationKey, rateKey, type Figures } from './figures.ts';
import { nameOfProcess } from './processes.tsx';
import { Sparkline } from './sparkline.tsx';
import { t } from './texts.ts';

interface RateTablesProps {
  readonly rates: readonly Schemas['SystemRate'][];
  readonly history: readonly (Figures | undefined)[];
}

const KINDS = [
  ['request', 'kindRequest'],
  ['message', 'kindMessage'],
  ['provider', 'kindProvider'],
] as const;

/** How often and how long, by action, worker and provider. */
export function RateTables({ rates, history }: RateTablesProps) {
  return (
    <section class="stack">
      <div>
        <h2>{t('rates')}</h2>
        <p class="small soft">{t('ratesLead')}</p>
      </div>
      {rates.length === 0 && <p class="soft">{t('noRates')}</p>}
      {KINDS.map(([kind, label]) => {
        const own = rates.filter((rate) => rate.kind === kind);
        return own.length === 0 ? null : (
          <RateTable key={kind} label={t(label)} rates={own} history={history} />
        );
      })}
    </section>
  );
}

function RateTable({ label, rates, history }: RateTablesProps & { label: string }) {
  const hasProcesses = rates.some(({ process }) => process !== 'this');
  const sorted = rates.toSorted((one, other) => other.count - one.count || (one.name < other.name ? -1 : 1));
  const line = (name: string) => <Sparkline history={history} name={name} />;
  return (
    <Table
      label={label}
      rows={sorted}
      columns={[
        [label, ({ name }) => name, 'rate-name'],
        hasProcesses && [t('process'), ({ process }) => nameOfProcess(process)],
        [t('perSecond'), ({ perSecond }) => formatNumber(perSecond, 2), 'number'],
        [t('lastMinutes'), (rate) => line(rateKey(rate)), 'wide-only'],
        [t('count'), ({ count }) => formatNumber(count), 'number'],
        [
          t('failedShort'),
          ({ failed }) => <span class={failed > 0 ? 'bad strong' : undefined}>{formatNumber(failed)}</span>,
          'number',
        ],
        [t('median'), ({ p50Ms }) => durationText(p50Ms), 'number'],
        [t('p99'), ({ p99Ms }) => durationText(p99Ms), 'number'],
        [t('lastMinutes'), (rate) => line(durationKey(rate)), 'wide-only'],
      ]}
    />
  );
}

/** Below 10 ms a decimal matters. */
function durationText(ms: number | undefined): string {
  if (ms === undefined) return '–';
  return ms < 10 ? `${formatNumber(ms, 1)} ms` : formatDuration(ms);
}
