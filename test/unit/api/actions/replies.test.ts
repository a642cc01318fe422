import { Decimal } from 'decimal.js';
import { expect, test } from 'vitest';
import { findAction } from '../../../../shared/api/actions/actions.ts';
import { renderPaymentValue } from '../../../../shared/api/actions/pmt-action.ts';
import { rateReply, renderRate } from '../../../../shared/api/actions/rate-action.ts';
import { renderSimulation, simulatePayload } from '../../../../shared/api/actions/simulate-action.ts';
import type { ProvenRate } from '../../../../shared/lending/request/rate-request.ts';
import { date } from '../../../support/builders/lending-loan.ts';
import {
  commission,
  discount,
  insurance,
  interest,
  price,
  rate,
  recordOf,
} from '../../../support/worlds/simulated-product.ts';

const namesOf = (answer: object) => Object.keys(answer).join(' ');

test.each([
  ['256.28', '250', 2, '{"PMTValue":256.28,"PrincipalValue":250.00}'],
  ['256', '-0', 0, '{"PMTValue":256,"PrincipalValue":0}'],
  [
    '12345678901234567890.0123456789',
    '1e-10',
    10,
    '{"PMTValue":12345678901234567890.0123456789,"PrincipalValue":0.0000000001}',
  ],
])('a payment of %s, %s has the decimals of Precision %d (M1, M5)', (pmt, principal, digits, text) => {
  const values = { pmtValue: new Decimal(pmt), principalValue: new Decimal(principal), digits };
  expect(renderPaymentValue(values)).toBe(text);
  expect(() => renderPaymentValue({ ...values, pmtValue: new Decimal('NaN') })).toThrow(RangeError);
});

const PROVEN: ProvenRate = {
  rate: '5.0000000000',
  proof: [
    { date: date('2025-01-15'), amount: '-1000', years: '0.00', discountedAmount: '-1000.0000000000' },
    { date: date('2026-01-15'), amount: '1050.10', years: '1.00', discountedAmount: null },
  ],
  residual: null,
  warnings: [],
};

test('a rate has all digits, dates as yyyy-mm-dd or numbers from 0, and null for missing figures', () => {
  expect(renderRate(PROVEN)).toBe(
    '{"Rate":5.0000000000,"Proof":[' +
      '{"Date":"2025-01-15","Amount":-1000,"Years":0.00,"DiscountedAmount":-1000.0000000000},' +
      '{"Date":"2026-01-15","Amount":1050.10,"Years":1.00,"DiscountedAmount":null}],"Residual":null}',
  );
  expect(rateReply.safeParse(JSON.parse(renderRate(PROVEN)))).toMatchObject({ success: true });
  const undated = PROVEN.proof.map((flow) => ({ ...flow, date: null }));
  const text = renderRate({ ...PROVEN, proof: undated });
  expect(text).toContain('[{"Period":0,"Amount":-1000,');
  expect(text).toContain('{"Period":1,"Amount":1050.10,');
  const absent = { proof: [{ amount: '-1000', years: '0.00' }] };
  expect(renderRate(absent as unknown as ProvenRate)).toBe(
    '{"Rate":null,"Proof":[{"Period":0,"Amount":-1000,"Years":0.00,"DiscountedAmount":null}],"Residual":null}',
  );
});

test.each(['NaN', '1e5', '', '1,5'])('a rate is not written from the figure %j', (figure) => {
  expect(() => renderRate({ ...PROVEN, rate: figure })).toThrow(RangeError);
});

test('a look-up has null for a field that Avro decodes as absent', () => {
  const details = { Name: 'A', ProductImage: undefined, Benefits: undefined };
  expect(findAction('plat_bp_getbankingproductdetails')?.render(details)).toBe(
    '{"Name":"A","ProductImage":null,"Benefits":null,"DisplayConditions":null,"NoOfDebtor":null}',
  );
  const documents = [{ Doc: { ReportId: 'R' }, Report: { DisplayName: 'A' } }];
  expect(findAction('plat_bp_getproductdocuments')?.render({ documents })).toBe(
    '[{"Doc":{"ReportId":"R","IsMandatory":null,"IsAccord":null},"Report":{"DisplayName":"A"}}]',
  );
});

const record = recordOf({
  interests: [interest(rate(8.5))],
  commissions: [commission({ Name: 'Fee "A"', ...price(100) })],
  insurances: [insurance({ IsUpfront: true, PeriodicityType: 'Annual' })],
  discounts: [
    discount(),
    discount({ Name: 'Five', IsPercentage: false, DiscountValue: 5 }),
    discount({ Name: 'Salary', AppliedToDimension: 'Interest', IsPercentage: false, DiscountValue: 0.55 }),
  ],
});
const offerOf = (changes: Partial<typeof record> = {}) =>
  simulatePayload([{ ...record, ...changes }], []).Records[0]!;

test('a simulation has the fields of the interface (4.4), decimals of the currency, and null', () => {
  const answer = JSON.parse(renderSimulation(simulatePayload([record], []))) as {
    readonly Records: readonly [object];
  };
  expect(answer).toMatchObject({ ReturnValue: 0, Records: [{ InterestPercent: '7.9500%' }] });
  expect(namesOf(answer.Records[0])).toBe(
    'InterestPercent IRR FirstInstallment FirstInsurance TotalInsurance FirstFee TotalFee Total ScheduleJson ' +
      'InterestId InterestListId InterestCommissionItemId CommissionListId cntInterestId ' +
      'cntInterestCommissionItemId OutputInterestJson OutputCommissionJson OutputInsuranceJson',
  );
  const yen = { ...offerOf(), currencyDigits: 0, Total: 5, IRR: undefined, CommissionListId: undefined };
  const text = renderSimulation({ Records: [yen, offerOf()], ReturnValue: 0, warnings: [] });
  expect(text).toMatch(/"IRR":null.*"Total":5,.*"CommissionListId":null.*"FirstInsurance":3.00,/);
});

test('a simulation has rows, base rate and discounts in the spelling of the interface', () => {
  const downPayment = new Decimal('100.10');
  expect(offerOf({ rows: record.rows.slice(0, 2) }).ScheduleJson).toBe(
    '{"paymentSchedule":[' +
      '{"InstallmentNo":0,"remainingValue":1000.00,"pMT":0.00,"interest":0.00,"principal":0.00,' +
      '"managementFee":0.00,"totalInstallment":0.00},' +
      '{"InstallmentNo":1,"remainingValue":1000.00,"pMT":254.15,"interest":6.63,"principal":247.52,' +
      '"managementFee":85.00,"totalInstallment":342.15,"insurance":3.00}]}',
  );
  expect(
    JSON.parse(simulatePayload([recordOf({}, { downPayment })], []).Records[0]!.ScheduleJson),
  ).toMatchObject({
    paymentSchedule: [{ InstallmentNo: 0, remainingValue: 1000, principal: 100.1 }, {}, {}, {}, {}],
  });
  const offer = offerOf();
  expect(offer.OutputInterestJson).toBe(
    '{"BaseInterestPercent":8.5,"InterestDiscountValue":0.55,"InterestDiscountPercent":0}',
  );
  expect(offer.OutputCommissionJson).toBe(
    '[{"Name":"Fee \\"A\\"","Value":85,"Percent":null,"BaseValue":100,"BasePercent":null,"DiscountValue":5,' +
      '"DiscountPercent":10,"ValueIsPercent":false,"CurrencyId":"2e9b7d10-4c86-4f35-a1d0-000000455552",' +
      '"FeePeriodicityType":"Monthly","FeeDate":"2025-01-01","FeeId":"00000000-0000-4000-8000-000000000200",' +
      '"IsUpfront":null}]',
  );
  expect(namesOf((JSON.parse(offer.OutputInsuranceJson) as [object])[0])).toBe(
    'Name Value Percent BaseValue BasePercent DiscountValue DiscountPercent ValueIsPercent CurrenctyId ' +
      'InsurancePeriodicityType InsuranceDate InsuranceId IsUpfront',
  );
  expect(offerOf({ insurances: [] }).OutputInsuranceJson).toBe('[]');
});
