import { describe, expect, it } from 'vitest';
import { findAction } from '../../../../shared/contract/actions/actions.ts';
import {
  MAX_REPLY_BYTES,
  refuseLargeReply,
  requestWeight,
} from '../../../../shared/contract/actions/request-limits.ts';
import { calculateRepaymentSchedule } from '../../../../shared/lending/calculate-repayment-schedule.ts';
import { allTopicSpecs } from '../../../../shared/messaging/topics/topic-settings.ts';
import { INTEREST_OPTION_IDS } from '../../../../shared/product/catalogue/list-records.ts';
import {
  commissions,
  EXPENSIVE_REQUESTS,
  EXPLAINED_LOAN,
  TOO_LARGE_REPLY,
} from '../../../support/expensive-requests.ts';
import { date, decimal, loan, REQUEST_DAY } from '../../../support/builders/lending-loan.ts';

/** What a call of an action is estimated at. */
function effortOf(jsonParam: object, name = 'PLAT_BP_CalculateRepaymentSchedule') {
  return effortOfBody({ jsonParam }, name);
}

function effortOfBody(body: object, name: string) {
  const action = findAction(name);
  const read = action?.read(body);
  const effort = read?.kind === 'valid' ? action?.effort?.(read.payload, REQUEST_DAY) : undefined;
  if (effort === undefined) throw new Error(`nothing is estimated: ${JSON.stringify(read)}`);
  return effort;
}

describe('the size of a reply (E6)', () => {
  it('is limited by what the topics of the engine take', () => {
    const limits = allTopicSpecs('', []).map(({ config }) => config?.['max.message.bytes']);
    expect(new Set(limits)).toEqual(new Set([String(MAX_REPLY_BYTES)]));
  });

  it('refuses 1,200 installments with 400 explained charges, naming the limit and what the reply would have', () => {
    const problem = refuseLargeReply(effortOf(TOO_LARGE_REPLY));
    expect(problem).toMatchObject({ code: 'reply-too-large', status: 422 });
    expect(problem?.detail).toMatch(
      /at least \d{8} bytes; a reply may have 8388608\. Send the request without Explain/,
    );
  });

  it.each([
    ['1,200 installments, explained', EXPLAINED_LOAN],
    ['1,200 installments with 400 charges', { ...TOO_LARGE_REPLY, Explain: false }],
    ['the effective rate alone, which is never explained', { ...TOO_LARGE_REPLY, CalculateDAE: 1 }],
    ['120 installments with 400 charges, explained', { ...TOO_LARGE_REPLY, InstallmentsNo: 120 }],
    ['yearly charges', { ...EXPLAINED_LOAN, Commission: commissions(200, { FeePeriodicityType: 'Annual' }) }],
    [
      'charges that are waived',
      { ...EXPLAINED_LOAN, Commission: commissions(200, { GracePeriodFee: 1_200 }) },
    ],
    [
      'a loan that a prepayment may end',
      { ...TOO_LARGE_REPLY, EarlyRepayments: [{ Date: '2025-01-09', Amount: 1 }] },
    ],
    ...Object.entries(EXPENSIVE_REQUESTS),
  ])('lets pass: %s', (_, jsonParam) => {
    expect(refuseLargeReply(effortOf(jsonParam))).toBeUndefined();
  });

  it('ends explanations where they take more room than is given, and refuses Explain', () => {
    const fee = { FeePeriodicityType: 'Monthly', FeeDate: date('2025-01-01'), FeeName: 'Service' };
    const Commission = Array.from({ length: 50 }, () => ({ ...fee, SourceValue: decimal(1) }));
    const request = loan({ InstallmentsNo: 12, Commission, Explain: true });
    const outcome = (maxReplyBytes: number) =>
      calculateRepaymentSchedule(request, { requestDay: REQUEST_DAY, maxReplyBytes });
    expect(outcome(100_000).kind).toBe('schedule');
    expect(outcome(10_000)).toMatchObject({
      kind: 'refused',
      faults: [{ path: 'Explain', code: 'reply-too-large', message: expect.stringContaining('10000 bytes') }],
    });
  });
});

const flows = (count: number) => ({
  Rule: 'IRR',
  PeriodicityType: 'Monthly',
  Amounts: Array.from({ length: count }, (_, index) => (index === 0 ? -1_000 : 12)),
});

describe('the weight of a request in the rate limit (E6)', () => {
  it.each([
    ['a loan of 360 installments', { ...EXPLAINED_LOAN, InstallmentsNo: 360, Explain: false }],
    ['a loan of 1,200 installments', { ...EXPLAINED_LOAN, Explain: false }],
    [
      '60 installments with three explained commissions',
      { ...EXPLAINED_LOAN, InstallmentsNo: 60, Commission: commissions(3) },
    ],
  ])('is one for %s', (_, jsonParam) => {
    expect(requestWeight(effortOf(jsonParam))).toBe(1);
  });

  it.each(Object.entries(EXPENSIVE_REQUESTS))(
    'is in proportion, and within a second’s allowance, for %s',
    (_, jsonParam) => {
      const weight = requestWeight(effortOf(jsonParam));
      expect(weight).toBeGreaterThan(20);
      expect(weight).toBeLessThanOrEqual(100);
    },
  );

  it('is more for a rate of 5,000 flows than for one of 100', () => {
    expect(requestWeight(effortOf(flows(100), 'PLAT_BP_CalculateRate'))).toBe(1);
    expect(requestWeight(effortOf(flows(5_000), 'PLAT_BP_CalculateRate'))).toBeGreaterThan(10);
  });

  it('is more for a simulation that asks for a new payment in each of 1,200 rows', () => {
    const terms = { productCode: 'PL', amount: 1_000, loanPeriod: 1_200, scheduleType: 'EqualInstallments' };
    const jsonMultipleInterestRates = Array.from({ length: 1_200 }, (_, at) => ({
      FromInstNo: at + 1,
      ToInstNo: at + 1,
      InterestRate: 5,
    }));
    const interestType = INTEREST_OPTION_IDS.Collection;
    const name = 'PLAT_BP_Simulate';
    expect(requestWeight(effortOfBody({ ...terms, loanPeriod: 300 }, name))).toBe(1);
    const sent = { ...terms, interestType, jsonMultipleInterestRates };
    expect(requestWeight(effortOfBody(sent, name))).toBeGreaterThan(20);
  });
});
