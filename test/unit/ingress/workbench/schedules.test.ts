import { describe, expect, it } from 'vitest';
import { openApiDocument } from '../../../../shared/contract/documents/openapi/openapi.ts';
import { asCurl, asKafkaMessage } from '../../../../workers/ingress/workbench/app/schedules/call-texts.ts';
import { LOAN_FIELDS } from '../../../../workers/ingress/workbench/app/schedules/loan-fields.ts';
import {
  exampleLoan,
  loanTerms,
  placeFaults,
  readLoans,
  writeLoans,
  type Loan,
} from '../../../../workers/ingress/workbench/app/schedules/loan.ts';
import {
  decimalsOfCurrency,
  exactSum,
  ignoredFields,
  sumRows,
  toCsv,
  type ShownRow,
} from '../../../../workers/ingress/workbench/app/schedules/schedule.ts';

const LOAN = exampleLoan('2026-01-01');
const fault = (path: string) => ({ path, message: 'no' });
const ROW: ShownRow = {
  InstallmentNo: 1,
  DueDate: '2026-02-01T00:00:00',
  NoDays: 31,
  remainingValue: 1000,
  interest: 0.1,
  principal: 100.2,
  managementFee: 5,
  insurance: 1.5,
  totalInstallment: 106.8,
  dae: 9.1,
  isEarlyRepayment: 'false',
};

describe('the loan of the form', () => {
  it('has the fields of the published request', () => {
    const { components } = openApiDocument({ version: '1', basePath: '' }) as unknown as {
      components: { schemas: { RepaymentScheduleTerms: { properties: Record<string, unknown> } } };
    };
    const published = Object.keys(components.schemas.RepaymentScheduleTerms.properties);
    expect(published).toEqual(expect.arrayContaining(LOAN_FIELDS.map(({ name }) => name)));
  });

  it('becomes the terms of a request', () => {
    const loan: Loan = {
      ...LOAN,
      fields: {
        ...LOAN.fields,
        InterestPercent: '8,5',
        Amount: 'much',
        HolidayShift: 'true',
        MaturityDate: '',
      },
      insurances: [
        { name: 'Life', amount: '0.1', unit: 'percent', periodicity: 'Annual', date: '2026-03-01' },
      ],
      extraPayments: [
        { date: '2027-01-01', amount: '0', keepsTerm: true },
        { date: '2027-02-01', amount: '500', keepsTerm: false },
      ],
    };
    expect(loanTerms(loan)).toEqual({
      Amount: 'much',
      InstallmentsNo: 60,
      ScheduleType: 'EqualInstallments',
      PeriodicityType: 'Monthly',
      Currency: 'EUR',
      InterestPercent: 8.5,
      ActivationDate: '2026-01-01',
      InstallmentDay: 1,
      HolidayShift: true,
      Commission: [
        {
          FeeName: 'Account administration',
          SourceValue: 4.5,
          FeePeriodicityType: 'Monthly',
          FeeDate: '2026-01-01',
        },
      ],
      Insurance: [
        {
          InsuranceName: 'Life',
          SourcePercent: 0.1,
          InsurancePeriodicityType: 'Annual',
          InsuranceDate: '2026-03-01',
        },
      ],
      EarlyRepayments: [{ Date: '2027-02-01', Amount: 500, DecreaseInstallment: false }],
    });
    const paths = ['Amount', 'EarlyRepayments[0].Date', 'Insurance[0].SourcePercent', 'Precision'];
    expect(
      placeFaults(
        paths.map((path) => fault(`jsonParam.${path}`)),
        loan,
      ),
    ).toEqual({
      byField: { Amount: 'no', 'extraPayments[1].date': 'no', 'insurances[0].amount': 'no' },
      others: ['jsonParam.Precision: no'],
    });
  });

  it('survives in an address', () => {
    expect(readLoans(writeLoans([LOAN, { ...LOAN, commissions: [] }]))).toEqual([
      LOAN,
      { ...LOAN, commissions: [] },
    ]);
  });

  it('reads at most three loans and leaves out what is not one', () => {
    expect(readLoans('?loan=%7B&loan=[]&loan={"Amount":5,"Other":"x","commissions":3}')).toEqual([
      { fields: { Amount: '5' }, commissions: [], insurances: [], extraPayments: [] },
    ]);
    expect(readLoans(`?${'loan={}&'.repeat(9)}`)).toHaveLength(3);
  });
});

describe('the figures of a schedule', () => {
  it('are added without binary fractions', () => {
    expect(exactSum([0.1, 0.2, 0.7])).toBe(1);
    expect(sumRows([ROW, ROW, ROW])).toMatchObject({ interest: 0.3, charges: 19.5, total: 320.4, rows: 3 });
  });

  it('become CSV', () => {
    expect(toCsv([ROW], 2).split('\r\n')[1]).toBe(
      '1,2026-02-01,31,1000.00,0.10,100.20,5.00,1.50,106.80,false',
    );
  });

  it('have the decimals of the currency', () => {
    expect(['EUR', 'JPY', ''].map(decimalsOfCurrency)).toEqual([2, 0, 2]);
  });
});

describe('texts of a call', () => {
  it('quote an apostrophe for the shell', () => {
    expect(asCurl('http://localhost', { FeeName: "bank's" })).toContain(String.raw`bank'\''s`);
  });

  it('name the type of a message', () => {
    expect(JSON.parse(asKafkaMessage({ Amount: 1 }))).toMatchObject({
      headers: { 'plat-message-type': 'CalculateRepaymentScheduleRequest' },
      value: { jsonParam: { Amount: 1 } },
    });
  });
});

it('lists the fields without effect', () => {
  expect(
    ignoredFields([
      { code: 'unknown-name', path: 'jsonParam.Commission[0].FeeName' },
      { code: 'no-effect', path: 'jsonParam.HolidayCountry' },
    ]),
  ).toEqual(['HolidayCountry']);
});
