import { asProblem } from '../engine-error.ts';
import { useLoaded, WhenLoaded } from '../design/loaded.tsx';
import { Table } from '../design/table.tsx';
import { callAction } from '../api.ts';
import { formatAmount, formatDate, formatNumber } from '../format.ts';
import type { z } from 'zod';
import type { rateReply } from '../../../../../shared/api/actions/rate-action.ts';
import { provesRate, rateTerms, type EffectiveRate } from './rate-terms.ts';
import { exactSum, type ShownSchedule } from './schedule.ts';
import { t } from './texts.ts';

type RateReply = z.infer<typeof rateReply>;

const YEAR_DECIMALS = 4;

/**
 * The payments behind an effective rate, each discounted to the start of the loan, as the engine recalculates them. Shows nothing where
 * the start of the loan is not known here, or where another unit of time leads to another rate.
 */
export function RateProof(props: { rate: EffectiveRate; schedule: ShownSchedule; decimals: number }) {
  const { rate, schedule, decimals } = props;
  const terms = rateTerms(rate, schedule);
  const loaded = useLoaded(
    async (signal) => {
      if (terms === undefined) return null;
      const request = { jsonParam: terms };
      return (await callAction<RateReply>('PLAT_BP_CalculateRate', request, { signal })).reply;
    },
    [JSON.stringify(terms)],
  );
  return (
    // Too many payments, for example.
    <WhenLoaded
      loaded={loaded}
      failed={(error, notice) => (asProblem(error).errors ?? []).length === 0 && notice}
    >
      {(reply) =>
        reply !== null &&
        provesRate(reply.Rate, schedule[rate]) && <Flows flows={reply.Proof} decimals={decimals} />
      }
    </WhenLoaded>
  );
}

function Flows({ flows, decimals }: { flows: RateReply['Proof']; decimals: number }) {
  const amount = (value: number | null): string => (value === null ? '–' : formatAmount(value, decimals));
  const discounted = flows.map((flow) => Number((flow.DiscountedAmount ?? 0).toFixed(decimals)));
  return (
    <Table
      label={t('proof')}
      class="schedule-table"
      rows={flows}
      columns={[
        [t('date'), (flow) => formatDate(flow.Date ?? '')],
        [t('flow'), (flow) => amount(flow.Amount), 'number'],
        [t('years'), (flow) => formatNumber(flow.Years, YEAR_DECIMALS), 'number'],
        [t('discounted'), (_, index) => amount(discounted[index] ?? null), 'number'],
      ]}
      foot={
        <tr>
          <th scope="row" colSpan={3}>
            {t('proofSum')}
          </th>
          <td class="number">{amount(exactSum(discounted))}</td>
        </tr>
      }
    />
  );
}
