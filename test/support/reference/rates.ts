/** Rates of the reference implementation: one rate, rate ranges, or rate bands (R1, R2). */

import type { RepaymentScheduleRequest } from '../../../shared/lending/request/repayment-schedule-request.ts';
import { Exact, minorUnits, refuseIf } from './decimal.ts';

/** A slice of the balance and its rate in percent; unlimited if `to` is undefined (R2). */
export interface Band {
  readonly from: Exact;
  readonly to: Exact | undefined;
  readonly rate: Exact;
}

function bandsOf(request: RepaymentScheduleRequest, digits: number): Band[] | undefined {
  const sent = request.BandedInterestRates ?? [];
  if (sent.length === 0) return undefined;
  const sorted = sent
    .map((item) => {
      refuseIf(item.Value === undefined, 'a band without a value');
      const from = minorUnits(item.MinUtilizedAmount, digits, 'band');
      const to = item.MaxUtilizedAmount && minorUnits(item.MaxUtilizedAmount, digits, 'band');
      refuseIf(to !== undefined && to.lt(from), 'a band that ends before it begins');
      return { from, to, rate: new Exact(item.Value!) };
    })
    .toSorted((one, other) => one.from.cmp(other.from));
  refuseIf(!sorted[0]!.from.isZero(), 'no band for small balances');
  return sorted.map((band, index) => {
    const next = sorted[index + 1];
    refuseIf(next !== undefined && next.from.eq(band.from), 'equal bands');
    return next === undefined ? band : { ...band, to: next.from };
  });
}

function rangesOf(request: RepaymentScheduleRequest): Exact[] | undefined {
  const sent = request.MultipleInterestRates ?? [];
  if (sent.length === 0) return undefined;
  const byRow: Exact[] = [];
  const ranges = sent.map((item, index) => ({
    rate: item.InterestRate,
    from: item.FromInstNo ?? (index === 0 ? 1 : (sent[index - 1]!.ToInstNo ?? request.InstallmentsNo) + 1),
    to: item.ToInstNo ?? request.InstallmentsNo,
  }));
  for (const { rate, from, to } of ranges) {
    refuseIf(rate === undefined || from > to || from < 1 || to > request.InstallmentsNo, 'a bad range');
    for (let row = from; row <= to; row += 1) {
      refuseIf(byRow[row] !== undefined, 'ranges overlap');
      byRow[row] = new Exact(rate!);
    }
  }
  for (let row = 1; row <= request.InstallmentsNo; row += 1) {
    refuseIf(byRow[row] === undefined, 'ranges leave a gap');
  }
  return byRow;
}

export function ratesOf(request: RepaymentScheduleRequest, digits: number) {
  const bands = bandsOf(request, digits);
  const ranges = rangesOf(request);
  refuseIf(bands !== undefined && ranges !== undefined, 'both ranges and bands');
  refuseIf(bands === undefined && ranges === undefined && request.InterestPercent === undefined, 'no rate');
  const single = new Exact(request.InterestPercent ?? 0);
  return {
    ofRow: (row: number) => ranges?.[row] ?? single,
    bands,
    isWhole: request.BandMethod?.toLowerCase() === 'whole',
  };
}
