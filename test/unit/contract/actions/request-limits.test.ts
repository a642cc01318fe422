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

/** The estimated effort of a call. */
function effortOf(jsonParam: object, name = 'PLAT_BP_CalculateRepaymentSchedule') {
  return effortOfBody({ jsonParam }, name);
}

function effortOfBody(body: object, name: string) {
  const action = findAction(name);
  const read = action?.read(body);
  const effort = read?.kind === 'valid' ? action?.effort?.(read.payload, REQUEST_DAY) : undefined;
  if (effort === undefined) throw new Error(`no estimate: ${JSON.stringify(read)}`);
  return effort;
}

describe('refuseLargeReply (E6)', () => {
  it('uses the common message size limit of the topics', () => {
    const limits = allTopicSpecs('', []).map(({ config }) => config?.['max.message.bytes']);
    expect(new Set(limits)).toEqual(new Set([String(MAX_REPLY_BYTES)]));
  });

  it('refuses 1,200 installments with 400 explained charges, with the limit and the expected size', () => {
    const problem = refuseLargeReply(effortOf(TOO_LARGE_REPLY));
    expect(problem).toMatchObject({ code: 'reply-too-large', status: 422 });
    expect(problem?.detail).toMatch(
      /at least \d{8} bytes; a reply may have 8388608\. Send the request without Explain/,
    );
  });

  it.each([
    ['1,200 installments, explained', EXPLAINED_LOAN],
    ['1,200 installments with 400 charges', { ...TOO_LARGE_REPLY, Explain: false }],
    ['the effective rate alone, which has no explanation', { ...TOO_LARGE_REPLY, CalculateDAE: 1 }],
    ['120 installments with 400 charges, explained', { ...TOO_LARGE_REPLY, InstallmentsNo: 120 }],
    ['yearly charges', { ...EXPLAINED_LOAN, Commission: commissions(200, { FeePeriodicityType: 'Annual' }) }],
    ['waived charges', { ...EXPLAINED_LOAN, Commission: commissions(200, { GracePeriodFee: 1_200 }) }],
    [
      'a loan that a prepayment may repay early',
      { ...TOO_LARGE_REPLY, EarlyRepayments: [{ Date: '2025-01-09', Amount: 1 }] },
    ],
    ...Object.entries(EXPENSIVE_REQUESTS),
  ])('accepts %s', (_, jsonParam) => {
    expect(refuseLargeReply(effortOf(jsonParam))).toBeUndefined();
  });

  it('the engine refuses Explain when the explanations exceed the limit', () => {
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

describe('requestWeight (E6)', () => {
  it.each([
    ['a loan of 360 installments', { ...EXPLAINED_LOAN, InstallmentsNo: 360, Explain: false }],
    ['a loan of 1,200 installments', { ...EXPLAINED_LOAN, Explain: false }],
    [
      '60 installments with three explained commissions',
      { ...EXPLAINED_LOAN, InstallmentsNo: 60, Commission: commissions(3) },
    ],
  ])('is 1 for %s', (_, jsonParam) => {
    expect(requestWeight(effortOf(jsonParam))).toBe(1);
  });

  it.each(Object.entries(EXPENSIVE_REQUESTS))(
    'is between 20 and 100, one second of the default rate limit, for %s',
    (_, jsonParam) => {
      const weight = requestWeight(effortOf(jsonParam));
      expect(weight).toBeGreaterThan(20);
      expect(weight).toBeLessThanOrEqual(100);
    },
  );

  it('is larger for a rate of 5,000 flows than for one of 100', () => {
    expect(requestWeight(effortOf(flows(100), 'PLAT_BP_CalculateRate'))).toBe(1);
    expect(requestWeight(effortOf(flows(5_000), 'PLAT_BP_CalculateRate'))).toBeGreaterThan(10);
  });

  it('is larger for a simulation with a new rate in each of 1,200 rows', () => {
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
