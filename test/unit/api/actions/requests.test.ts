import { Decimal } from 'decimal.js';
import { describe, expect, test } from 'vitest';
import { findAction } from '../../../../shared/api/actions/actions.ts';
import { toSimulateRequest, type SimulateInput } from '../../../../shared/api/actions/simulate-action.ts';
import type { ReadRequest } from '../../../../shared/api/json/request-reader.ts';
import { formatCalendarDate, type CalendarDate } from '../../../../shared/lending/dates/calendar-date.ts';
import { BUILT_IN_CATALOGUE } from '../../../../shared/lending/schedule-types/schedule-catalogue.ts';
import { parseJson } from '../../../../shared/platform/parse-json.ts';
import { MAX_CASH_FLOWS } from '../../../../shared/lending/annual-rate/cash-flow-terms.ts';
import { SECTION_FLAGS } from '../../../../shared/product/look-up/product-by-code.ts';
import { INTEREST_OPTION_IDS } from '../../../../shared/product/catalogue/list-records.ts';
import { date } from '../../../support/builders/lending-loan.ts';
import { typedFields } from '../../../support/builders/request-cases.ts';

const BASES: Readonly<Record<string, object>> = {
  CalculateRepaymentSchedule: {
    ScheduleType: 'EqualInstallments',
    InterestPercent: 7,
    Amount: 100,
    InstallmentsNo: 6,
    PeriodicityType: 'Monthly',
    InstallmentDay: 1,
  },
  CalculatePMT: { InstallmentsNo: 4, PeriodicityType: 'Monthly', InterestCalculationMethod: '30/360' },
  Simulate: { productCode: 'P', amount: 1000.5, loanPeriod: 12, scheduleType: 'EqualInstallments' },
};
const STATUSES: Readonly<Record<string, number>> = { 'invalid-request': 400, 'not-computable': 422 };
const FEE = '"SourceValue":1.5,"FeePeriodicityType":"Monthly","FeeDate":"2024-01-01"';
const INSURANCE = '"SourcePercent":0.1,"InsurancePeriodicityType":"Monthly","InsuranceDate":"2024-01-01"';
const SHORTHANDS: Readonly<Record<string, string>> = {
  FEE,
  INSURANCE,
  FIXED: `"interestType":"${INTEREST_OPTION_IDS.Fixed}"`,
  ID: '"9136b630-6317-5acd-85f7-807dd5296800"',
  LONG: JSON.stringify('x'.repeat(201)),
};

const expand = (text: string) =>
  text.replaceAll(/\b(?:FEE|INSURANCE|FIXED|ID|LONG)\b/g, (name) => SHORTHANDS[name] ?? '');

function parsed(text: string): unknown {
  const json = parseJson(expand(text));
  if (json.kind === 'refused') throw new Error(`${text}: ${JSON.stringify(json.faults)}`);
  return json.value;
}

function readAs(name: string, sent: string) {
  const request = findAction(`PLAT_BP_${name}`)!.request;
  if (sent.startsWith('body ')) return request.read(parsed(sent.slice(5)), BUILT_IN_CATALOGUE);
  const fields = { ...BASES[name], ...(parsed(sent) as object) };
  return request.read(name.startsWith('Calculate') ? { jsonParam: fields } : fields, BUILT_IN_CATALOGUE);
}

/** The changed fields of a request, or the status and the faults; then the warnings. A slash begins a path outside the terms. */
function outcomeOf(name: string, result: ReadRequest<unknown>): string {
  const place = name.startsWith('Calculate') ? 'jsonParam.' : '';
  const inTerms = (path: string) => (path.startsWith(place) ? path.slice(place.length) : `/${path}`);
  if (result.kind === 'invalid')
    return `${STATUSES[result.problem]} ${result.faults.map(({ path, code }) => `${inTerms(path)} ${code}`).join()}`;
  const base = readAs(name, '{}');
  const known = base.kind === 'valid' ? (base.payload as Record<string, unknown>) : {};
  const payload = result.payload as Record<string, unknown>;
  const changed = Object.keys({ ...known, ...payload }).filter(
    (field) => JSON.stringify(payload[field]) !== JSON.stringify(known[field]),
  );
  const changes = Object.fromEntries(changed.map((field) => [field, payload[field] ?? null]));
  const text = JSON.stringify(changes, (field, value: unknown) =>
    field.endsWith('Date') ? formatCalendarDate(value as CalendarDate) : value,
  );
  return [text, ...result.warnings.map(({ path, code }) => `${inTerms(path)} ${code}`)].join();
}

/** Cases of an action, a line each: what is sent, an arrow and the outcome; further lines are indented. */
const casesOf = (text: string) =>
  text
    .trim()
    .split(/\n {2}(?! )/)
    .map((line) => line.replaceAll(/\n\s+/g, ' ').split(' -> ') as [string, string]);

const sections = (value: string) => SECTION_FLAGS.map((flag) => `"${flag}":${value}`).join();

const BY_CODE_OR_ID = `
  {} -> 400 productCode missing
  {"productCode":"P", "Date":"2026-1-5"} -> {"productCode":"P", "Date":"2026-01-05"}
  {"productCode":5} -> 400 productCode wrong-type
  {"productCode":""} -> 400 productCode empty
  body [] -> 400 body wrong-type`;

/** By action, what is sent and the outcome (M6, E1, E3, M1, D1, R1, S4, F1, L1, L3, Q7). */
const CASES: Readonly<Record<string, string>> = {
  CalculateRepaymentSchedule: `
  {"Amount":0.30000000000000004, "InterestPercent":1e-7} ->
    {"Amount":"0.30000000000000004", "InterestPercent":"1e-7"}
  {"Amount":1234567.89} -> {"Amount":"1234567.89"}
  {"ProductType":null, "AdvanceAmount":null, "FirstDueDate":null, "HolidayShift":null} -> {}
  {"HolidayShift":true, "IsLocked":1, "Commission":[{FEE, "FeeName":"F", "IsUpfront":true}]} ->
    {"HolidayShift":true, "Commission":[{"SourceValue":"1.5", "FeePeriodicityType":"Monthly",
    "FeeDate":"2024-01-01", "FeeName":"F", "IsUpfront":true}], "IsLocked":true}
  {"HolidayShift":0, "IsLocked":false} -> {"HolidayShift":false, "IsLocked":false}
  {"InterestCapitalization":true} -> {"InterestCapitalization":1}
  {"ActivationDate":"2024-01-05"} -> {"ActivationDate":"2024-01-05"}
  {"ActivationDate":"2024-1-5"} -> {"ActivationDate":"2024-01-05"}
  {"ActivationDate":"2024-01-05T00:00:00"} -> {"ActivationDate":"2024-01-05"}
  {"ActivationDate":"2024-01-05T23:59:59Z"} -> {"ActivationDate":"2024-01-05"}
  {"ActivationDate":"2024-01-05T10:00:00.000+02:00"} -> {"ActivationDate":"2024-01-05"}
  {"Commission":[], "BandedInterestRates":[]} -> {}
  {"InterestPercent":null, "MultipleInterestRates":[{"InterestRate":7}]} ->
    {"InterestPercent":null, "MultipleInterestRates":[{"InterestRate":"7"}]}
  {"InterestPercent":null, "BandedInterestRates":[{"Value":7}]} ->
    {"InterestPercent":null, "BandedInterestRates":[{"Value":"7"}]}
  {"InterestPercent":null, "MultipleInterestRates":[]} -> 400 InterestPercent missing
  {"InterestPercent":null, "BandedInterestRates":[]} -> 400 InterestPercent missing
  {"Amount":"x", "InstallmentsNo":null, "PeriodicityType":"", "ActivationDate":"2024-02-30",
    "FirstDueDate":20240201, "HolidayShift":2, "Insurance":{}, "ScheduleType":null, "InterestPercent":null,
    "Commission":[null,{"SourceValue":1, "SourcePercent":2, "FeePeriodicityType":"Monthly"}]} ->
    400 ScheduleType missing, Amount wrong-type, InstallmentsNo missing, PeriodicityType empty,
    ActivationDate invalid-date, FirstDueDate wrong-type, HolidayShift wrong-type, Commission[0] missing,
    Commission[1].FeeDate missing, Insurance wrong-type, InterestPercent missing,
    Commission[1].SourceValue mutually-exclusive, Commission[1].FeeName missing
  {"Insurance":[{INSURANCE}]} -> 400 Insurance[0].InsuranceName missing
  {"Insurance":[{INSURANCE, "InsuranceClassId":"L"}]} -> {"Insurance":[{"SourcePercent":"0.1",
    "InsurancePeriodicityType":"Monthly", "InsuranceDate":"2024-01-01", "InsuranceClassId":"L"}]}
  {"Insurance":[{INSURANCE, "InsuranceClassName":"L"}]} -> {"Insurance":[{"SourcePercent":"0.1",
    "InsurancePeriodicityType":"Monthly", "InsuranceDate":"2024-01-01", "InsuranceClassName":"L"}]}
  body null -> 400 /body missing
  body [] -> 400 /body wrong-type
  body "text" -> 400 /body wrong-type
  body {"Amount":7} -> 400 /jsonParam missing, /Amount unknown-member
  body {"jsonParam":{"__proto__":{"ScheduleType":"EqualInstallments"}}} -> 400 ScheduleType missing,
    Amount missing, InstallmentsNo missing, PeriodicityType missing, InstallmentDay missing,
    InterestPercent missing, __proto__ unknown-member
  {"Amount":1e30} -> 422 Amount amount-too-large
  {"Amount":-1e20} -> 422 Amount amount-too-large
  {"Amount":1e-19} -> 422 Amount too-many-decimals
  {"InterestPercent":1e10} -> 422 InterestPercent out-of-range
  {"InterestPercent":1e-21} -> 422 InterestPercent too-many-decimals
  {"InstallmentsNo":6.5} -> 422 InstallmentsNo out-of-range
  {"InstallmentsNo":3e9} -> 422 InstallmentsNo out-of-range
  {"InterestCapitalization":0.5} -> 422 InterestCapitalization out-of-range
  {"Amount":1e30, "ScheduleType":null} -> 400 ScheduleType missing, Amount amount-too-large
  {"Amount":-5, "InstallmentsNo":10000, "InstallmentDay":99, "InterestCapitalization":2} ->
    {"Amount":"-5", "InstallmentsNo":10000, "InstallmentDay":99, "InterestCapitalization":2}
  {"amount":1, "MultipleInterestRates":[{"InterestRate":7, "rate":"x"}]} ->
    {"MultipleInterestRates":[{"InterestRate":"7"}]}, amount unknown-member,
    MultipleInterestRates[0].rate unknown-member
  {"__proto__":{"Amount":5}, "constructor":1, "toString":2} -> {}, __proto__ unknown-member,
    constructor unknown-member, toString unknown-member`,
  CalculatePMT: `
  {"FinancedAmount":9999999.9999999999} -> {"FinancedAmount":"9999999.9999999999"}
  {"FinancedAmount":12345678901234567890.123456789012345678} ->
    {"FinancedAmount":"12345678901234567890.123456789012345678"}
  {"FinancedAmount":1000.1000000000000000000000} -> {"FinancedAmount":"1000.1"}
  {"FinancedAmount":1e2} -> {"FinancedAmount":"100"}
  {"FinancedAmount":1.0000000000000000001} -> 422 FinancedAmount too-many-decimals
  {"FinancedAmount":123456789012345678901} -> 422 FinancedAmount amount-too-large
  {"InstallmentsNo":4.00000000000000000001} -> 422 InstallmentsNo out-of-range
  {"InstallmentsNo":12345678901234567890.5} -> 422 InstallmentsNo out-of-range
  {"InstallmentsNo":90071992547409930} -> 422 InstallmentsNo out-of-range
  {"InstallmentsNo":4.0000000000000000000} -> {}
  {"InstallmentsNo":1.5} -> 422 InstallmentsNo out-of-range
  {"InstallmentsNo":0, "GracePeriodPrincipal":2} -> {"InstallmentsNo":0, "GracePeriodPrincipal":2}
  {"InstallmentsNo":null, "PeriodicityType":"x", "FinancedAmount":"1000", "InterestType":3} ->
    400 InstallmentsNo missing, FinancedAmount wrong-type, PeriodicityType unknown-periodicity,
    InterestType out-of-range
  {"InstallmentsNo":"one", "GracePeriodPrincipal":1} -> 400 InstallmentsNo wrong-type
  {"InstallmentsNo":null, "GracePeriodPrincipal":12} -> 400 InstallmentsNo missing
  {"FinancedAmount":0, "FutureValue":"x"} -> 400 FutureValue wrong-type
  {"FinancedAmount":"x", "FutureValue":-5} -> 400 FinancedAmount wrong-type
  {"PeriodicityType":1, "InterestPercent":-1200} -> 400 PeriodicityType wrong-type
  {"PeriodicityType":1, "InterestPercent":1e6} -> 400 PeriodicityType wrong-type, InterestPercent out-of-range`,
  CalculateRate: `
  {"Rule":"DAE", "CashFlows":[{"Date":"2025-01-15", "Amount":-1000, "Fee":1}], "Amounts":[]} ->
    {"Rule":"DAE", "CashFlows":[{"Date":"2025-01-15", "Amount":"-1000"}]},
    CashFlows[0].Fee unknown-member
  {"Rule":"IRR", "PeriodicityType":"Monthly", "Amounts":[-100,101]} ->
    {"Rule":"IRR", "PeriodicityType":"Monthly", "Amounts":["-100", "101"]}
  {"Rule":"DAE", "Unit":5} -> 400 Unit wrong-type, CashFlows missing
  {"Rule":"IRR", "PeriodicityType":"Once", "Amounts":[-100, "101",null]} ->
    400 Amounts[1] wrong-type, Amounts[2] missing, PeriodicityType not-allowed
  {"CashFlows":[{"Date":"2025-02-30"}], "Unit":"Decades"} -> 400 Rule missing,
    CashFlows[0].Date invalid-date, CashFlows[0].Amount missing, Unit unknown-value`,
  GetBankingProductByCode: `
  {"BankingProductCode":"P", ${sections('1')}} -> {"BankingProductCode":"P", ${sections('true')}}
  {"BankingProductCode":"P", ${sections('true')}} -> {"BankingProductCode":"P", ${sections('true')}}
  {"BankingProductCode":"P", ${sections('0')}} -> {"BankingProductCode":"P", ${sections('false')}}
  {"BankingProductCode":"P", ${sections('null')}} -> {"BankingProductCode":"P"}
  {"displayBPDetails":"true", "Date":"2025-02-30"} -> 400 BankingProductCode missing,
    displayBPDetails wrong-type, Date invalid-date`,
  GetBankingProductDetails: `${BY_CODE_OR_ID}
  {"productId":ID, "productCode":null} -> {"productId":ID}
  {"productId":"x"} -> 400 productId wrong-type`,
  GetProductDocuments: `${BY_CODE_OR_ID}
  {"bankingProductId":ID} -> {"bankingProductId":ID}
  {"bankingProductId":"x"} -> 400 bankingProductId wrong-type`,
  GetProductList: `
  {"limit":null} -> {}
  {"after":"tl", "limit":200, "Date":"2026-1-5"} -> {"after":"tl", "limit":200, "Date":"2026-01-05"}
  {"limit":0} -> 422 limit out-of-range
  {"limit":201} -> 422 limit out-of-range
  {"limit":1.5} -> 422 limit out-of-range
  {"limit":"5", "after":""} -> 400 after empty, limit wrong-type`,
  GetSimulationOptions: BY_CODE_OR_ID,
  GetReferenceLists: `
  {"displayPeriodicities":1, "displayCalendars":true} ->
    {"displayPeriodicities":true}, displayCalendars unknown-member
  {"displayInterestTypes":"true"} -> 400 displayInterestTypes wrong-type`,
  GetProductInsuranceList: `${BY_CODE_OR_ID}
  {"productCode":"P", "productId":ID} -> {"productCode":"P", "productId":ID}
  {"productId":"x"} -> 400 productId wrong-type
  {"productCode":"P", "filterList":""} -> {"productCode":"P"}
  {"productCode":"P", "filterList":[]} -> {"productCode":"P"}
  {"productCode":"P", "filterList":null} -> {"productCode":"P"}
  {"productCode":"P", "Filter":1, "filterList":[{"name":"Age", "value":30.1, "unit":"years"}]} ->
    {"productCode":"P", "filterList":[{"name":"Age", "value":"30.1"}]}, Filter unknown-member,
    filterList[0].unit unknown-member
  {"filterList":"none"} -> 400 filterList wrong-type, productCode missing
  {"productCode":"P", "filterList":[{"name":"Age", "value":"30"},{"value":30}, "Age"]} ->
    400 filterList[0].value wrong-type, filterList[1].name missing, filterList[2] wrong-type`,
  Simulate: `
  {"downPayment":null, "interestType":null, "interestTypeName":null, "installmentValue":null,
    "principalValue":null, "optional":null, "discount":null, "jsonFilterCommission":null,
    "jsonInsuranceFilter":null, "jsonDiscountFilter":null, "jsonMultipleInterestRates":null,
    "jsonInputFormula":null, "InterestType":null} -> {}
  {FIXED, "InterestType":1} -> {FIXED, "InterestType":1}
  {"InterestType":true} -> {"InterestType":1}
  {"Offer":null, "Date":null, "Explain":null, "FirstDueDate":null, "InstallmentDay":null,
    "GracePeriodPrincipal":null, "GracePeriodInterest":null, "OptionalCommissions":[],
    "OptionalInsurances":null} -> {}
  {"Offer":1, "Date":"2026-1-5", "Explain":false, "OptionalCommissions":[{"FeeId":ID, "Id":1}],
    "OptionalInsurances":[{"Name":"Life"}]} -> {"Offer":true, "Date":"2026-01-05", "Explain":false,
    "OptionalCommissions":[{"FeeId":ID}], "OptionalInsurances":[{"Name":"Life"}]},
    OptionalCommissions[0].Id unknown-member
  {"Offer":"yes", "Date":"2026-02-30", "InstallmentDay":1.5, "OptionalInsurances":[{"InsuranceId":"x"}]} ->
    400 Offer wrong-type, Date invalid-date, InstallmentDay out-of-range,
    OptionalInsurances[0].InsuranceId wrong-type
  {FIXED, "optional":[], "discount":[], "jsonFilterCommission":[], "jsonInsuranceFilter":[],
    "jsonDiscountFilter":[], "jsonMultipleInterestRates":[], "jsonInputFormula":{"interestInput":{}}} ->
    {FIXED, "jsonInputFormula":{}}
  body {} -> 400 productCode missing, amount missing, loanPeriod missing, scheduleType missing
  {"amount":"1000", "loanPeriod":1.5, "interestType":"Fixed", "optional":[{"ProductDiscountId":"x"}],
    "jsonInputFormula":{"interestInput":{"Score":"high"}, "commissionInput":[1]}} -> 400 amount wrong-type,
    loanPeriod out-of-range, interestType wrong-type, optional[0].ProductDiscountId wrong-type,
    jsonInputFormula.interestInput.Score wrong-type, jsonInputFormula.commissionInput wrong-type
  {"jsonInputFormula":{"interestInput":1234567.1234567890123}} ->
    400 jsonInputFormula.interestInput wrong-type, interestType missing
  {"downPayment":1e-99999999999999999999} -> 422 downPayment too-many-decimals
  {"loanPeriod":1e-99999999999999999999} -> 422 loanPeriod out-of-range
  {"jsonInputFormula":{"insuranceInput":{"Age":30}}, "interestTypeName":"Fixed"} -> 400 interestType missing
  {"jsonInputFormula":{}} -> 400 interestType missing
  {"jsonInputFormula":{"interestInput":null}} -> 400 interestType missing
  {"jsonMultipleInterestRates":[{"InterestRate":5}]} -> 400 interestType missing
  {FIXED, "jsonInputFormula":{"interestInput":{"__proto__":0, "constructor":1, "toString":2}}} ->
    {FIXED, "jsonInputFormula":{"interestInput":[{"name":"__proto__", "value":"0"},
    {"name":"constructor", "value":"1"},{"name":"toString", "value":"2"}]}}
  {FIXED, "jsonInputFormula":{"interestInput":{"__proto__":"high"}}} ->
    400 jsonInputFormula.interestInput.__proto__ wrong-type
  {FIXED, "jsonInputFormula":{"interestInput":{"":1}, "discountInput":{LONG:1}}} ->
    400 jsonInputFormula.interestInput empty, jsonInputFormula.discountInput too-long
  {FIXED, "jsonParam":{}, "jsonInputFormula":{"Score":1, "interestInput":{"Score":1.1}}} ->
    {FIXED, "jsonInputFormula":{"interestInput":[{"name":"Score", "value":"1.1"}]}},
    jsonParam unknown-member, jsonInputFormula.Score unknown-member`,
};

describe.each(Object.entries(CASES))('a request of %s', (name, text) => {
  test.each(casesOf(text))('%s is read as %s', (sent, outcome) => {
    expect(outcomeOf(name, readAs(name, sent))).toBe(expand(outcome).replaceAll(/,\s+/g, ','));
  });
});

test('unknown names are reported only if the catalogue, which may add names, is known', () => {
  const body = {
    jsonParam: { ...BASES['CalculateRepaymentSchedule'], Amount: 'x', PeriodicityType: 'Lunar' },
  };
  const { request } = findAction('PLAT_BP_CalculateRepaymentSchedule')!;
  const outcomes = [undefined, BUILT_IN_CATALOGUE].map((catalogue) => {
    return outcomeOf('CalculateRepaymentSchedule', request.read(body, catalogue));
  });
  expect(outcomes).toEqual([
    '400 Amount wrong-type',
    '400 Amount wrong-type,PeriodicityType unknown-periodicity',
  ]);
});

function faultsOf(fields: object) {
  const jsonParam = { ...BASES['CalculateRepaymentSchedule'], ...fields };
  const result = findAction('PLAT_BP_CalculateRepaymentSchedule')!.read({ jsonParam });
  return result.kind === 'invalid' ? result.faults : [];
}

test.each(
  casesOf(`
  {"Amount":"100"} -> must be a number, not text
  {"Amount":null} -> is missing; must be a number
  {"Amount":1e400} -> is too large to be read as a number
  {"ActivationDate":5} -> must be a date such as 2024-01-31, not a number
  {"ActivationDate":"31.01.2024"} -> must be an existing date such as 2024-01-31, from 1900 to 2999
  {"HolidayShift":"true"} -> must be one of true, false, 1 and 0, not text
  {"ScheduleType":["EqualInstallments"]} -> must be text, not a list
  {"Currency":LONG} -> must have at most 200 characters
  {"Commission":"none"} -> must be a list, not text
  {"InstallmentsNo":3e9} -> must be at most 2147483647 in absolute value`),
)('the message for %s is: %s', (sent, message) => {
  expect(faultsOf(parsed(sent) as object).map((fault) => fault.message)).toEqual([message]);
});

test('messages contain no value; at most 100 faults are listed, the last counting the others', () => {
  const faults = faultsOf({ Commission: Array.from({ length: 200 }, () => 'x') });
  expect(faults).toHaveLength(100);
  const message = '101 further faults are not listed';
  expect(faults.at(-1)).toEqual({ path: 'body', code: 'more-faults', message });
  const many = Object.fromEntries(
    Array.from({ length: 500 }, (_, index) => [`${'y'.repeat(60)}${index}`, 1]),
  );
  const read = findAction('PLAT_BP_Simulate')!.read({ ...BASES['Simulate'], ...many });
  expect(read).toMatchObject({ kind: 'valid', warnings: { length: 100 } });
  expect(read.kind === 'valid' && read.warnings[0]?.path).toBe('y'.repeat(60));
  const secret = 'eyJhbGciOiJIUzI1NiJ9';
  const names = Object.keys(BASES['CalculateRepaymentSchedule']!);
  const everywhere = Object.fromEntries(names.map((name) => [name, [secret]]));
  const named = faultsOf({ ...everywhere, ActivationDate: secret, Commission: [secret] });
  expect(named).toHaveLength(names.length + 2);
  expect(JSON.stringify(named)).not.toContain(secret);
});

const unread = (length: number) =>
  new Proxy([], {
    get: (target, key) => {
      if (key === 'length') return length;
      if (key === Symbol.iterator || key === '0') throw new Error('an item was read');
      return Reflect.get(target, key) as unknown;
    },
  });

test.each([
  ['CalculateRepaymentSchedule', { Commission: unread(201) }, 'Commission too-many-items'],
  [
    'CalculateRepaymentSchedule',
    { Insurance: unread(201), InstallmentDay: 'x', Commission: [{ FeeName: 'f', SourceValue: 'x' }] },
    'Insurance too-many-items,InstallmentDay wrong-type,Commission[0].SourceValue wrong-type,' +
      'Commission[0].FeePeriodicityType missing,Commission[0].FeeDate missing',
  ],
  ['CalculateRate', { Rule: 'DAE', CashFlows: unread(MAX_CASH_FLOWS + 1) }, 'CashFlows too-many-items'],
  [
    'CalculateRate',
    { Rule: 'IRR', PeriodicityType: 'Monthly', Amounts: unread(MAX_CASH_FLOWS + 1) },
    'Amounts too-many-items',
  ],
  ['GetProductInsuranceList', { filterList: unread(101) }, 'filterList too-many-items,productCode missing'],
  [
    'Simulate',
    { jsonMultipleInterestRates: unread(1_201), optional: 'x' },
    'jsonMultipleInterestRates too-many-items,optional wrong-type',
  ],
])('%s refuses an overlong list unread, and checks other fields alone: case %#', (name, sent, faults) => {
  const fields = { ...BASES[name], ...sent };
  const result = findAction(`PLAT_BP_${name}`)!.read(name.startsWith('C') ? { jsonParam: fields } : fields);
  expect(outcomeOf(name, result)).toBe(`400 ${faults}`);
});

test.each(
  casesOf(`
  CalculatePMT {"InstallmentsNo":4} -> valid
  CalculatePMT {"PeriodicityType":"", "InterestCalculationMethod":LONG, "InterestType":2} -> 400
    PeriodicityType empty, InterestCalculationMethod too-long, InterestType out-of-range
  CalculateRate {"Rule":"DAE", "CashFlows":[{"Date":"2025-01-01", "Amount":-1}]} -> valid
  CalculateRate {"Rule":LONG, "CashFlows":[{"Date":"2025-01-01", "Amount":-1}], "Unit":"Decades"} -> 400
    Rule too-long, Unit unknown-value
  GetBankingProductByCode {"BankingProductCode":"P"} -> valid
  GetBankingProductByCode {"BankingProductCode":LONG} -> 400 BankingProductCode too-long
  GetProductInsuranceList {"productId":"x", "filterList":[{"name":"", "value":1}]} -> 400 productId wrong-type,
    filterList[0].name empty`),
)('a request from Avro has the limits of one from JSON: %s', (sent, outcome) => {
  const [name = '', fields = ''] = sent.split(/ (.*)/s);
  const payload = typedFields({ ...BASES[name], ...(parsed(fields) as object) });
  const found = findAction(`PLAT_BP_${name}`)!.request.check(payload);
  expect(found === undefined ? 'valid' : outcomeOf(name, found)).toBe(outcome.replaceAll(/,\s+/g, ','));
});

test('a page of products in Avro has at most 200', () => {
  const { request } = findAction('PLAT_BP_GetProductList')!;
  expect(request.check({ limit: 200 })).toBeUndefined();
  const faults = [{ path: 'limit', code: 'out-of-range', message: 'must be from 1 to 200' }];
  expect(request.check({ limit: 201 })).toEqual({ kind: 'invalid', problem: 'not-computable', faults });
});

test('a rate request from Avro has at most 5,000 amounts and dates up to 2999', () => {
  const { request } = findAction('PLAT_BP_CalculateRate')!;
  const flow = { Date: date('2999-12-31') + 1, Amount: new Decimal(-1) };
  const faults = [{ path: 'jsonParam.CashFlows[0].Date', code: 'invalid-date' }];
  expect(request.check({ Rule: 'DAE', CashFlows: [flow] })).toMatchObject({
    problem: 'invalid-request',
    faults,
  });
  const Amounts = Array.from({ length: MAX_CASH_FLOWS + 1 }, () => flow.Amount);
  expect(request.check({ Rule: 'IRR', Amounts })).toMatchObject({
    faults: [{ code: 'too-many-items' }, { path: 'jsonParam.PeriodicityType', code: 'missing' }],
  });
});

const interestType = INTEREST_OPTION_IDS.Fixed;
const action = findAction('PLAT_BP_Simulate')!;
const TERMS = { ...BASES['Simulate'], interestType };

test('a simulation is read from the direct and the generic form, and written as it was read (E2)', () => {
  const direct = action.read(TERMS);
  expect(action.read({ access_token: 't', user_name: 'u', Data: TERMS })).toEqual(direct);
  expect(action.read({ Data: JSON.stringify(TERMS) })).toEqual(direct);
  const body = {
    ...TERMS,
    downPayment: 100.25,
    optional: [{ Name: 'A' }],
    discount: [{ Name: 'B', ProductCode: 'P' }],
    jsonDiscountFilter: [{ name: 'Age', value: 30 }],
    jsonInputFormula: { discountInput: { 'a "b"': 0.1, Years: 3 } },
    jsonMultipleInterestRates: [{ InterestRate: 5.5, FromInstNo: 1, ToInstNo: 12 }],
  };
  const result = action.request.read(body);
  expect(JSON.parse(action.request.render((result as { payload: object }).payload))).toEqual(body);
});

function messagesOf(fields: object): readonly string[] {
  const read = action.read({ ...BASES['Simulate'], ...fields });
  return read.kind === 'invalid' ? read.faults.map(({ path, message }) => `${path} ${message}`) : [];
}

test('a simulation has an id in interestType and 0 or 1 in InterestType (Q2)', () => {
  expect(messagesOf({ InterestType: interestType, interestType: 1 })).toEqual([
    'interestType must be a GUID as text, not a number',
    'InterestType must be one of 1, 0, true and false, not text',
  ]);
  expect(messagesOf({ interestType: '1' })).toEqual([
    'interestType must be a GUID such as 0f8fad5b-d9cb-469f-a165-70867728950e',
  ]);
});

test('a simulation gives the engine figures of filters as numbers, and arguments of formulas in their order (L3, Q7)', () => {
  const age = [{ name: 'Age', value: 30.1 }];
  const filters = { jsonFilterCommission: age, jsonInsuranceFilter: age, jsonDiscountFilter: age };
  const sent = {
    ...TERMS,
    ...filters,
    jsonInputFormula: { interestInput: { Score: 1.1, Margin: -2 }, discountInput: null },
  };
  const result = action.request.read(sent) as { readonly payload: SimulateInput };
  const Score = { name: 'Score', value: new Decimal('1.1') };
  expect(toSimulateRequest(result.payload)).toMatchObject({
    ...filters,
    jsonInputFormula: { interestInput: [Score, { name: 'Margin', value: new Decimal(-2) }] },
  });
});

test('a simulation has at most 100 arguments with names of 1 to 200 characters for a formula, in JSON and in Avro', () => {
  const outcomes = [Array(101).fill('x'), ['x'.repeat(201)], [''], Array(100).fill('x')].map((names) => {
    const list = names.map((name: string) => ({ name, value: new Decimal(1) }));
    return action.request.check({ ...TERMS, jsonInputFormula: { interestInput: list } });
  });
  const path = 'jsonInputFormula.interestInput';
  expect(outcomes).toMatchObject([
    { problem: 'invalid-request', faults: [{ path, code: 'too-many-items' }] },
    { faults: [{ path, code: 'too-long' }] },
    { faults: [{ path, code: 'empty' }] },
    undefined,
  ]);
  const wrong = { ...BASES['Simulate'], productCode: '', jsonInputFormula: { discountInput: [] } };
  const found = outcomeOf('Simulate', action.request.check(wrong)!);
  expect(found).toBe('400 productCode empty,interestType missing');
  const many = Object.fromEntries(Array.from({ length: 101 }, (_, place) => [`x${place}`, 1]));
  const faults = [{ path, code: 'too-many-items' }];
  expect(action.read({ ...TERMS, jsonInputFormula: { interestInput: many } })).toMatchObject({ faults });
});

const entry = (Point: string, Text: string) => ({ Point, Text });

test.each([
  ['20,000 characters', Array.from({ length: 5 }, (_, at) => entry(`P${at}`, 'x'.repeat(4_000))), undefined],
  [
    '20,001 characters',
    [...Array.from({ length: 5 }, (_, at) => entry(`P${at}`, 'x'.repeat(4_000))), entry('P5', 'x')],
    ['not-computable', 'Entries out-of-range must have at most 20000 characters in all texts together'],
  ],
  [
    'blank texts',
    [entry('A', ''), entry('B', ' \n\u00a0')],
    [
      'invalid-request',
      'Entries[0].Text empty must not be empty; leave it out or send null where it does not apply',
      'Entries[1].Text empty must not be blank',
    ],
  ],
  [
    'two texts for a point',
    [entry('A', 'x'), entry('B', 'y'), entry('A', 'z')],
    ['invalid-request', 'Entries[2].Point mutually-exclusive must not be the point of another entry'],
  ],
])('entries of an offer document with %s, in JSON and Avro (T2)', (_, Entries, refusal) => {
  const { request } = findAction('PLAT_BP_CreateOfferDocument')!;
  const sent = { ...BASES['Simulate'], ...TERMS, Entries };
  for (const result of [request.read(sent), request.check(sent)]) {
    const found =
      result?.kind === 'invalid'
        ? [result.problem, ...result.faults.map(({ path, code, message }) => `${path} ${code} ${message}`)]
        : undefined;
    expect(found).toEqual(refusal);
  }
});
