import { Decimal } from 'decimal.js';
import { describe, expect, test } from 'vitest';
import { keepDigits } from '../../../../shared/platform/bounded-json.ts';
import { findAction } from '../../../../shared/api/actions/actions.ts';
import { MESSAGE_FORMS } from '../../../../shared/api/actions/message-forms.ts';
import {
  simulateRequest,
  toSimulateRequest,
  type SimulateInput,
  renderSimulation,
  simulatePayload,
} from '../../../../shared/api/actions/simulate-action.ts';
import { INTEREST_OPTION_IDS } from '../../../../shared/product/catalogue/list-records.ts';
import { insurance, recordOf } from '../../../support/worlds/simulated-product.ts';

const TERMS = { productCode: 'P', amount: 1000.5, loanPeriod: 12, scheduleType: 'EqualInstallments' };

const read = (body: unknown) => {
  const result = findAction('plat_bp_simulate')?.read(body);
  if (result?.kind !== 'invalid') return result?.payload;
  return { problem: result.problem, faults: result.faults.map(({ path, code }) => `${path} ${code}`) };
};

/** Reads the terms with another field, with all digits of its numbers. */
const readText = (field: string) =>
  read(JSON.parse(`${JSON.stringify(TERMS).slice(0, -1)},${field}}`, keepDigits));

describe('the request of a simulation', () => {
  test('is read from the direct and the generic form, with exact amounts (M1, E2)', () => {
    const payload = {
      productCode: 'P',
      amount: new Decimal('1000.5'),
      loanPeriod: 12,
      scheduleType: 'EqualInstallments',
    };
    expect(read(TERMS)).toEqual(payload);
    expect(read({ access_token: 't', user_name: 'u', Data: TERMS })).toEqual(payload);
    expect(read({ Data: JSON.stringify(TERMS) })).toEqual(payload);
  });

  test('null, an empty list and formula parts without arguments mean absent (M6)', () => {
    const names = ['downPayment', 'interestType', 'interestTypeName', 'installmentValue', 'principalValue'];
    const lists = [
      'optional',
      'discount',
      'jsonFilterCommission',
      'jsonInsuranceFilter',
      'jsonDiscountFilter',
      'jsonMultipleInterestRates',
    ];
    const nulls = Object.fromEntries([...names, ...lists, 'jsonInputFormula'].map((name) => [name, null]));
    const empty = Object.fromEntries(lists.map((name) => [name, []]));
    expect(read({ ...TERMS, ...nulls })).toEqual(read(TERMS));
    const typed = { ...TERMS, interestType: INTEREST_OPTION_IDS.Fixed };
    expect(read({ ...typed, ...empty, jsonInputFormula: { interestInput: {} } })).toEqual({
      ...(read(typed) as object),
      jsonInputFormula: {},
    });
  });

  test('toSimulateRequest converts figures of filters to numbers; arguments of formulas keep their order (L3, Q7)', () => {
    const payload = read({
      ...TERMS,
      interestType: INTEREST_OPTION_IDS.BankingFormula,
      jsonFilterCommission: [{ name: 'Age', value: 30.1 }],
      jsonInputFormula: { interestInput: { Score: 1.1, Margin: -2 }, discountInput: null },
    });
    expect(toSimulateRequest(payload as SimulateInput)).toMatchObject({
      jsonFilterCommission: [{ name: 'Age', value: 30.1 }],
      jsonInputFormula: {
        interestInput: [
          { name: 'Score', value: new Decimal('1.1') },
          { name: 'Margin', value: new Decimal(-2) },
        ],
      },
    });
  });

  test('is refused with all faults together (E3)', () => {
    expect(read({})).toEqual({
      problem: 'invalid-request',
      faults: ['productCode missing', 'amount missing', 'loanPeriod missing', 'scheduleType missing'],
    });
    expect(
      read({
        ...TERMS,
        amount: '1000',
        loanPeriod: 1.5,
        interestType: 'Fixed',
        optional: [{ ProductDiscountId: 'x' }],
        jsonInputFormula: { interestInput: { Score: 'high' }, commissionInput: [1] },
      }),
    ).toEqual({
      problem: 'invalid-request',
      faults: [
        'amount wrong-type',
        'loanPeriod out-of-range',
        'interestType wrong-type',
        'optional[0].ProductDiscountId wrong-type',
        'jsonInputFormula.interestInput.Score wrong-type',
        'jsonInputFormula.commissionInput wrong-type',
      ],
    });
  });

  test('refuses a number of many digits in place of arguments, and one that is too small for a decimal (M1)', () => {
    expect(readText('"jsonInputFormula":{"interestInput":1234567.1234567890123}')).toMatchObject({
      faults: ['jsonInputFormula.interestInput wrong-type', 'interestType missing'],
    });
    expect(readText('"downPayment":1e-99999999999999999999')).toMatchObject({
      problem: 'not-computable',
      faults: ['downPayment too-many-decimals'],
    });
    expect(readText('"loanPeriod":1e-99999999999999999999')).toMatchObject({
      faults: ['loanPeriod out-of-range'],
    });
  });

  test('requires interestType with arguments of formulas and rates by range (interface 4.4)', () => {
    const needing = { jsonInputFormula: { insuranceInput: { Age: 30 } }, interestTypeName: 'Fixed' };
    expect(read({ ...TERMS, ...needing })).toMatchObject({ faults: ['interestType missing'] });
    for (const jsonInputFormula of [{}, { interestInput: {} }, { interestInput: null }]) {
      expect(read({ ...TERMS, jsonInputFormula })).toMatchObject({ faults: ['interestType missing'] });
    }
    expect(read({ ...TERMS, jsonMultipleInterestRates: [{ InterestRate: 5 }] })).toMatchObject({
      faults: ['interestType missing'],
    });
    expect(read({ ...TERMS, ...needing, interestType: INTEREST_OPTION_IDS.Fixed })).not.toHaveProperty(
      'faults',
    );
  });

  test('accepts __proto__ and constructor as names of arguments (Q7)', () => {
    const names = ['__proto__', 'constructor', 'toString', 'hasOwnProperty'];
    const fields = names.map((name, place) => `"${name}":${place}`).join(',');
    const jsonInputFormula: unknown = JSON.parse(`{"interestInput":{${fields}}}`);
    const interestType = INTEREST_OPTION_IDS.Fixed;
    expect(read({ ...TERMS, interestType, jsonInputFormula })).toMatchObject({
      jsonInputFormula: { interestInput: names.map((name, place) => ({ name, value: new Decimal(place) })) },
    });
    const wrong: unknown = JSON.parse('{"interestInput":{"__proto__":"high"}}');
    expect(read({ ...TERMS, interestType, jsonInputFormula: wrong })).toMatchObject({
      faults: ['jsonInputFormula.interestInput.__proto__ wrong-type'],
    });
  });

  test('does not require interestType if the list of rates is overlong', () => {
    const jsonMultipleInterestRates = Array.from({ length: 1_201 }, () => ({}));
    expect(read({ ...TERMS, jsonMultipleInterestRates, optional: 'x' })).toMatchObject({
      faults: ['jsonMultipleInterestRates too-many-items', 'optional wrong-type'],
    });
  });

  test.each([
    [{ '': 1 }, 'empty'],
    [{ ['x'.repeat(201)]: 1 }, 'too-long'],
    [Object.fromEntries(Array.from({ length: 101 }, (_, place) => [`x${place}`, 1])), 'too-many-items'],
  ])('limits the arguments of formulas, in JSON and in Avro: case %#', (interestInput, code) => {
    const body = {
      ...TERMS,
      interestType: INTEREST_OPTION_IDS.Fixed,
      jsonInputFormula: { interestInput },
    };
    expect(read(body)).toMatchObject({ faults: [`jsonInputFormula.interestInput ${code}`] });
    const list = Object.keys(interestInput).map((name) => ({ name, value: new Decimal(1) }));
    const payload = read({ ...TERMS, interestType: INTEREST_OPTION_IDS.Fixed }) as SimulateInput;
    const parts = { commissionInput: undefined, insuranceInput: undefined, discountInput: undefined };
    const check = (interest: typeof list) =>
      simulateRequest.check({ ...payload, jsonInputFormula: { ...parts, interestInput: interest } });
    expect(check(list)).toMatchObject({
      problem: 'invalid-request',
      faults: [{ path: 'jsonInputFormula.interestInput', code }],
    });
    expect(check(Array.from({ length: 100 }, () => ({ name: 'x', value: new Decimal(1) })))).toBeUndefined();
  });

  test('reports unknown fields, but not the names of arguments (E3)', () => {
    const result = findAction('PLAT_BP_SIMULATE')?.read({
      ...TERMS,
      jsonParam: {},
      interestType: INTEREST_OPTION_IDS.Fixed,
      jsonInputFormula: { Score: 1, interestInput: { Score: 1 } },
    });
    expect(result).toMatchObject({ warnings: [{ path: 'jsonParam' }, { path: 'jsonInputFormula.Score' }] });
  });

  test('is written as the body that it was read from', () => {
    const body = {
      ...TERMS,
      downPayment: 100.25,
      interestType: INTEREST_OPTION_IDS.Collection,
      optional: [{ Name: 'A' }],
      discount: [{ Name: 'B', ProductCode: 'P' }],
      jsonDiscountFilter: [{ name: 'Age', value: 30 }],
      jsonInputFormula: { discountInput: { 'a "b"': 0.1, Years: 3 } },
      jsonMultipleInterestRates: [{ InterestRate: 5.5, FromInstNo: 1, ToInstNo: 12 }],
    };
    const text = MESSAGE_FORMS['SimulateRequest']?.render(read(body));
    expect(JSON.parse(text ?? '')).toEqual(body);
  });
});

describe('the answer of a simulation', () => {
  const record = recordOf({ insurances: [insurance()] }, { downPayment: new Decimal('100.10') });

  test('has the fields of the interface in its order and spelling (4.4)', () => {
    const { Records, ReturnValue } = JSON.parse(renderSimulation(simulatePayload([record], []))) as {
      readonly Records: readonly Record<string, unknown>[];
      readonly ReturnValue: number;
    };
    expect(ReturnValue).toBe(0);
    expect(Object.keys(Records[0] ?? {})).toEqual([
      'InterestPercent',
      'IRR',
      'FirstInstallment',
      'FirstInsurance',
      'TotalInsurance',
      'FirstFee',
      'TotalFee',
      'Total',
      'ScheduleJson',
      'InterestId',
      'InterestListId',
      'InterestCommissionItemId',
      'CommissionListId',
      'cntInterestId',
      'cntInterestCommissionItemId',
      'OutputInterestJson',
      'OutputCommissionJson',
      'OutputInsuranceJson',
    ]);
    expect(Records[0]).toMatchObject({ InterestPercent: '12.0000%', FirstInsurance: 3, TotalInsurance: 12 });
    expect(JSON.parse(String(Records[0]?.['ScheduleJson']))).toMatchObject({
      paymentSchedule: [{ InstallmentNo: 0, remainingValue: 1000, principal: 100.1 }, {}, {}, {}, {}],
    });
  });

  test('has amounts with the decimals of the currency, and null for absent fields', () => {
    const [offer] = simulatePayload([record], []).Records;
    if (offer === undefined) throw new Error('no offer');
    const yen = { ...offer, currencyDigits: 0, Total: 5, IRR: undefined, CommissionListId: undefined };
    const text = renderSimulation({ Records: [yen, offer], ReturnValue: 0, warnings: [] });
    expect(text).toContain('"IRR":null');
    expect(text).toContain('"CommissionListId":null');
    expect(text).toContain('"Total":5,');
    expect(text).toContain('"FirstInsurance":3.00,');
  });
});
