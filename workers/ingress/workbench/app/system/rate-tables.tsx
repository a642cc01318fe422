import { Table } from '../design/table.tsx';
import { formatDuration, formatNumber } from '../format.ts';
import type { SystemRate } from '../../../../../shared/api/operations/system-state.ts';
import { nameOfProcess } from './processes.tsx';
import { Sparkline } from './sparkline.tsx';
import { t } from './texts.ts';
import type { History } from './use-system.ts';

type Rate = SystemRate;

/** Beyond it a rate is that since the start of its process. */
const LONGEST_WINDOW_S = 65;

interface RateTablesProps {
  readonly rates: readonly Rate[];
  readonly history: History;
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
  const line = (of: Rate, figure: (rate: Rate) => number | undefined) => (
    <Sparkline
      history={history}
      figure={(state) => {
        const rate = state.rates.find(
          ({ process, kind, name }) => process === of.process && kind === of.kind && name === of.name,
        );
        // A rate since the start of its process would begin the line with a value of another kind.
        return rate === undefined || rate.windowSeconds > LONGEST_WINDOW_S ? undefined : figure(rate);
      }}
    />
  );
  return (
    <Table
      label={label}
      rows={sorted}
      columns={[
        [label, ({ name }) => name, 'breakable'],
        hasProcesses && [t('process'), ({ process }) => nameOfProcess(process)],
        [t('perSecond'), ({ perSecond }) => formatNumber(perSecond, 2), 'number'],
        [t('lastMinutes'), (rate) => line(rate, ({ perSecond }) => perSecond), 'wide-only'],
        [t('count'), ({ count }) => formatNumber(count), 'number'],
        [
          t('failedShort'),
          ({ failed }) => <span class={failed > 0 ? 'bad strong' : undefined}>{formatNumber(failed)}</span>,
          'number',
        ],
        [t('median'), ({ p50Ms }) => durationText(p50Ms), 'number'],
        [t('p99'), ({ p99Ms }) => durationText(p99Ms), 'number'],
        [t('lastMinutes'), (rate) => line(rate, ({ p99Ms }) => p99Ms), 'wide-only'],
      ]}
    />
  );
}

/** Below 10 ms a decimal matters. */
function durationText(ms: number | undefined): string {
  if (ms === undefined) return '–';
  return ms < 10 ? `${formatNumber(ms, 1)} ms` : formatDuration(ms);
}
