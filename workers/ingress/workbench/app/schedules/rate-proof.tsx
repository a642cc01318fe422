import { asProblem, Failure, Loading, TableFrame } from '../design/components.tsx';
import { useLoaded } from '../design/use-loaded.ts';
import { callAction } from '../api.ts';
import { formatAmount, formatDate, formatNumber } from '../format.ts';
import type { Schemas } from '../schemas.ts';
import { provesRate, rateTerms, type EffectiveRate } from './rate-terms.ts';
import { exactSum, type ShownSchedule } from './schedule.ts';
import { t } from './texts.ts';

const YEAR_DECIMALS = 4;

/**
 * The payments behind an effective rate, each discounted to the start of the loan, as the engine recalculates them. Shows nothing where
 * the start of the loan is not known here, or where another unit of time leads to another rate.
 */
export function RateProof(props: { rate: EffectiveRate; schedule: ShownSchedule; decimals: number }) {
  const { rate, schedule, decimals } = props;
  const terms = rateTerms(rate, schedule);
  const [loaded, retry] = useLoaded(
    async (signal) => {
      if (terms === undefined) return undefined;
      const request = { jsonParam: terms };
      return (await callAction<Schemas['RateReply']>('PLAT_BP_CalculateRate', request, { signal })).reply;
    },
    [JSON.stringify(terms)],
  );
  if (loaded.state === 'loading') return <Loading />;
  if (loaded.state === 'failed') {
    // Too many payments, for example.
    return (asProblem(loaded.error).errors ?? []).length > 0 ? null : (
      <Failure error={loaded.error} onRetry={retry} />
    );
  }
  const reply = loaded.value;
  if (reply === undefined || !provesRate(reply.Rate, schedule[rate])) return null;
  const amount = (value: number | null): string => (value === null ? '–' : formatAmount(value, decimals));
  const discounted = reply.Proof.map((flow) => Number((flow.DiscountedAmount ?? 0).toFixed(decimals)));
  return (
    <TableFrame label={t('proof')}>
      <table class="table schedule-table">
        <thead>
          <tr>
            <th scope="col">{t('date')}</th>
            <th scope="col" class="number">
              {t('flow')}
            </th>
            <th scope="col" class="number">
              {t('years')}
            </th>
            <th scope="col" class="number">
              {t('discounted')}
            </th>
          </tr>
        </thead>
        <tbody>
          {reply.Proof.map((flow, index) => (
            <tr key={index}>
              <th scope="row">{formatDate(flow.Date ?? '')}</th>
              <td class="number">{amount(flow.Amount)}</td>
              <td class="number">{formatNumber(flow.Years, YEAR_DECIMALS)}</td>
              <td class="number">{amount(discounted[index] ?? null)}</td>
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row" colSpan={3}>
              {t('proofSum')}
            </th>
            <td class="number">{amount(exactSum(discounted))}</td>
          </tr>
        </tfoot>
      </table>
    </TableFrame>
  );
}
