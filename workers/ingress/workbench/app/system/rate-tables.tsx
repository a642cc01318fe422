import type { Schemas } from '../schemas.ts';
import { TableFrame } from '../design/components.tsx';
import { formatDuration, formatNumber } from '../format.ts';
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
  return (
    <TableFrame label={label}>
      <table class="table">
        <thead>
          <tr>
            <th scope="col">{label}</th>
            {hasProcesses && <th scope="col">{t('process')}</th>}
            <th scope="col" class="number">
              {t('perSecond')}
            </th>
            <th scope="col" class="wide-only">
              {t('lastMinutes')}
            </th>
            <th scope="col" class="number">
              {t('count')}
            </th>
            <th scope="col" class="number">
              {t('failedShort')}
            </th>
            <th scope="col" class="number">
              {t('median')}
            </th>
            <th scope="col" class="number">
              {t('p99')}
            </th>
            <th scope="col" class="wide-only">
              {t('lastMinutes')}
            </th>
          </tr>
        </thead>
        <tbody>
          {sorted.map((rate) => (
            <tr key={rateKey(rate)}>
              <th scope="row" class="rate-name">
                {rate.name}
              </th>
              {hasProcesses && <td>{nameOfProcess(rate.process)}</td>}
              <td class="number">{formatNumber(rate.perSecond, 2)}</td>
              <td class="wide-only">
                <Sparkline history={history} name={rateKey(rate)} />
              </td>
              <td class="number">{formatNumber(rate.count)}</td>
              <td class={rate.failed > 0 ? 'number bad strong' : 'number'}>{formatNumber(rate.failed)}</td>
              <td class="number">{durationText(rate.p50Ms)}</td>
              <td class="number">{durationText(rate.p99Ms)}</td>
              <td class="wide-only">
                <Sparkline history={history} name={durationKey(rate)} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </TableFrame>
  );
}

/** Below 10 ms a decimal matters. */
function durationText(ms: number | undefined): string {
  if (ms === undefined) return '–';
  return ms < 10 ? `${formatNumber(ms, 1)} ms` : formatDuration(ms);
}
