import { Decimal } from 'decimal.js';
import { describe, expect, it, test } from 'vitest';
import { initialPeriodRows } from '../../../shared/lending/annual-rate/second-rate-terms.ts';
import type { InterestRateRange } from '../../../shared/lending/request/repayment-schedule-request.ts';
import { BUILT_IN_PERIODICITIES } from '../../../shared/lending/dates/periodicity.ts';
import { yearLines, type PaidRow } from '../../../shared/offer/year-table.ts';
import {
  documentOf,
  documentOutcome,
  figuresOf,
  homeLoan,
  pointOf,
} from '../../support/worlds/offered-document.ts';
import { discount, guid, insurance, interest, rate } from '../../support/worlds/simulated-product.ts';
import { date } from '../../support/builders/lending-loan.ts';

const HIGHEST = new Decimal('7.448');
const periodicity = (name: string) => {
  const found = BUILT_IN_PERIODICITIES.find((one) => one.name === name);
  if (found === undefined) throw new Error(name);
  return found;
};

const days = (ValidFrom: string | null, ValidTo: string | null) =>
  ({ ValueStatus: 'Active', ValidFrom, ValidTo }) as const;

const premium = { Value: 200, Status: 'Active', ValidFrom: null, ValidTo: null } as const;

const LATER = [
  { Value: 6.5, ...days('2010-01-01', '2010-12-31') },
  { Value: 5, ...days('2011-01-01', null) },
];

/** Five years at a fixed 4.2 %, then a variable rate. */
const COLLECTION = [
  interest({
    Id: guid(101),
    Name: 'Five years',
    Code: 'F5',
    Type: 'Collection',
    IsDefault: true,
    Values: [],
    CollectionInterests: [
      {
        InterestName: 'Fixed',
        InterestStartPeriod: 1,
        InterestEndPeriod: 60,
        InterestStartDate: null,
        InterestEndDate: null,
      },
      {
        InterestName: 'Later',
        InterestStartPeriod: 61,
        InterestEndPeriod: null,
        InterestStartDate: null,
        InterestEndDate: null,
      },
    ],
  }),
  interest({ Id: guid(102), Name: 'Fixed', Code: 'FIX', ...rate(4.2) }),
  interest({ Id: guid(103), Name: 'Later', Code: 'VAR', Type: 'Variable', Values: LATER }),
];

const ranges = (...ends: readonly (readonly [percent: number, to: number])[]) =>
  ends.map(([percent, ToInstNo]) => ({ InterestRate: new Decimal(percent), ToInstNo }));

describe('the annual rates of an ESIS (T5)', () => {
  test('count what is paid at the start', () => {
    expect(figuresOf(documentOf(homeLoan()))).toMatchObject({
      TotalAmountOfCredit: 100_000,
      TotalUpfront: 1350,
      TotalCostOfCredit: 49_327.04,
      TotalAmountPayable: 149_327.04,
      APRC: '4.4461',
      InstallmentAmount: 616.57,
    });
    expect(figuresOf(documentOf(homeLoan({}, 0)))).toMatchObject({
      APRC: '4.2818',
      TotalAmountPayable: 147_977.04,
    });
  });

  test.each([
    [1, 1350, '7.8997', 802.42],
    [1, 0, '7.7076', 802.42],
    [13, 1350, '7.4654', 794.17],
    [13, 0, '7.2806', 794.17],
  ])(
    'at the highest rate from row %i, with %d at the start, are %s %% (art. 17(6))',
    (from, atStart, aprc, payment) => {
      const document = documentOf(homeLoan({}, atStart), { HighestRate: HIGHEST, HighestRateFrom: from });
      expect(figuresOf(document)).toMatchObject({
        HighestRate: '7.448',
        HighestRateFrom: from,
        HighestRateAPRC: aprc,
        HighestInstallmentAmount: payment,
      });
      const text = pointOf(document, 'VariableRate').Text ?? '';
      expect(text).toContain(
        `rose to 7.448 % from instalment ${from} on, the APRC could increase to ${aprc} %`,
      );
      expect(pointOf(document, 'HigherInstalment').Text).toContain(`${payment.toFixed(2)} EUR`);
    },
  );

  test('over an initial fixed period are those of a loan whose balance is repaid at its end (art. 17(5))', () => {
    const document = documentOf(homeLoan({ interests: COLLECTION }));
    expect(figuresOf(document)).toMatchObject({
      InitialPeriodRows: 60,
      InitialPeriodAPRC: '4.6240',
      InitialPeriodRepaid: 82_236.87,
      HighestRateFrom: 61,
    });
    expect(pointOf(document, 'InitialPeriodAPRC').Text).toBe(
      '4.6240 % for the first 60 instalments, with 82,236.87 EUR repaid at their end',
    );
  });

  test('use the highest rate of the catalogue in 20 years, and leave it to the lender if there is none above the offered one', () => {
    const Values = [
      { Value: 9, ...days(null, '2006-11-29') },
      { Value: 6.5, ...days('2006-11-30', '2010-12-31') },
      { Value: 4.2, ...days('2011-01-01', null) },
    ];
    const document = documentOf(homeLoan({ interests: [interest({ Type: 'Variable', Values })] }));
    expect(figuresOf(document)).toMatchObject({ HighestRate: '6.5', HighestRateFrom: 1 });
    const alone = documentOf(homeLoan());
    expect(alone.Missing).toContain('VariableRate');
    expect(pointOf(alone, 'VariableRate')).toMatchObject({
      IsMissing: true,
      Text: '[to be completed by the lender]',
    });
    const fixed = documentOf(homeLoan({ interests: [interest(rate(4.2))] }));
    expect(fixed.Missing).not.toContain('VariableRate');
    expect(() => pointOf(fixed, 'VariableRate')).toThrow('no point VariableRate');
  });

  it.each([
    ['after a grace period', { GracePeriodPrincipal: 12 }, 820.95],
    ['in advance', { scheduleType: 'EqualPrincipal', InterestType: 1 }, 1034.75],
    ['before a residual row', {}, 711.54],
    ['of an interest-only loan', { GracePeriodPrincipal: 239 }, 620.67],
    ['of the last row alone', { HighestRateFrom: 240 }, 618.47],
  ])('show the largest instalment at the highest rate: %s (art. 17(6))', (name, changes, amount) => {
    const product = { ...homeLoan().product, PaymentScheduleTypes: ['EqualInstallments', 'EqualPrincipal'] };
    const residual = name.includes('residual') && { ResidualRequired: true, ResidualPercent: 50 };
    const document = documentOf(homeLoan({ product: { ...product, ...residual } }), {
      HighestRate: HIGHEST,
      ...changes,
    });
    expect(figuresOf(document)['HighestInstallmentAmount']).toBe(amount);
  });

  it.each([
    [
      'not above the offered rate',
      homeLoan(),
      { HighestRate: new Decimal('4.2') },
      ['HighestRate must be above 4.2, the highest offered rate from instalment 1 on'],
    ],
    [
      'below the later rate',
      homeLoan({ interests: COLLECTION }),
      { HighestRate: new Decimal('4.9') },
      ['HighestRate must be above 5, the highest offered rate from instalment 61 on'],
    ],
    [
      'before the variable rate',
      homeLoan({ interests: COLLECTION }),
      { HighestRate: HIGHEST, HighestRateFrom: 60 },
      ['HighestRateFrom must be a whole number from 61 to 240'],
    ],
    [
      'of a fixed rate',
      homeLoan({ interests: [interest(rate(4.2))] }),
      { HighestRate: HIGHEST, HighestRateFrom: 1 },
      [
        'HighestRate must be left out: the rate of the offer does not vary',
        'HighestRateFrom must be left out: the rate of the offer does not vary',
      ],
    ],
  ] as const)('refuses a highest rate %s', (_, offering, changes, faults) => {
    const outcome = documentOutcome(offering, changes);
    if (outcome.kind !== 'refused') throw new Error('the request was not refused');
    expect(outcome.faults.map(({ path, message }) => `${path} ${message}`)).toEqual(faults);
  });

  it('counts the instalments of a loan that a fixed payment ends early, and no rate after its end (B2)', () => {
    const fixed = { installmentValue: new Decimal(5000) };
    const variable = documentOf(homeLoan(), { ...fixed, HighestRate: HIGHEST, HighestRateFrom: 21 });
    expect(pointOf(variable, 'Duration').Text).toBe('21 periods (monthly), until 30 August 2028');
    expect(pointOf(variable, 'NumberOfPayments').Text).toBe('21');
    expect(figuresOf(variable)).toMatchObject({ HighestInstallmentAmount: null });
    const beyond = documentOutcome(homeLoan(), { ...fixed, HighestRate: HIGHEST, HighestRateFrom: 22 });
    expect(beyond).toMatchObject({
      faults: [{ path: 'HighestRateFrom', message: 'must be a whole number from 1 to 21' }],
    });
    const collection = documentOf(homeLoan({ interests: COLLECTION }), fixed);
    expect(pointOf(collection, 'BorrowingRate').Text).toBe(
      '4.20 % for instalments 1 to 21\nfixed for the duration of the loan',
    );
    expect(figuresOf(collection)).toMatchObject({ InitialPeriodRows: null, HighestRate: null });
  });

  it.each([
    [
      'the charges',
      homeLoan({ insurances: [insurance({ Values: [premium] })] }),
      { HighestRate: new Decimal(5) },
      'your payments could increase to 859.96 EUR',
    ],
    [
      'the last of a fixed payment',
      homeLoan(),
      { HighestRate: new Decimal(9), installmentValue: new Decimal(760) },
      'your last payment could increase to 94,081.22 EUR',
    ],
    [
      'interest alone',
      homeLoan(),
      { HighestRate: new Decimal(9), GracePeriodPrincipal: 239 },
      'your payments could increase to 750.00 EUR',
    ],
  ])('name a higher payment with %s (art. 17(6))', (_, offering, changes, text) => {
    const document = documentOf(offering, changes);
    expect(pointOf(document, 'HigherInstalment').Text).toContain(text);
    const amount = Number(text.replaceAll(/[^\d.]/g, ''));
    expect(figuresOf(document)['HighestInstallmentAmount']).toBe(amount);
  });

  it('leaves the higher payment to the lender if none exceeds those of today', () => {
    const product = { ...homeLoan().product, PaymentScheduleTypes: ['EqualPrincipal'] };
    const changes = { scheduleType: 'EqualPrincipal', loanPeriod: 24, HighestRateFrom: 13 };
    const document = documentOf(homeLoan({ product }), { ...changes, HighestRate: new Decimal('4.3') });
    expect(figuresOf(document)).toMatchObject({ HighestRate: '4.3', HighestInstallmentAmount: null });
    expect(document.Missing).toContain('HigherInstalment');
    expect(document.Missing).not.toContain('VariableRate');
  });

  it('lowers the highest rate of the catalogue by the discount of the offer', () => {
    const discounts = [discount({ AppliedToDimension: 'Interest', DiscountValue: 5 })];
    expect(documentOf(homeLoan({ discounts })).Missing).toContain('VariableRate');
    const interests = [interest({ Type: 'Variable', Values: LATER })];
    expect(figuresOf(documentOf(homeLoan({ discounts, interests })))).toMatchObject({ HighestRate: '6.175' });
  });

  it('leaves the higher rate to the lender if that of the catalogue is not above the variable one', () => {
    const [collection, fixed, later] = COLLECTION;
    const interests = [collection!, fixed!, { ...later!, ...rate(5) }];
    const document = documentOf(homeLoan({ interests }));
    expect(document.Missing).toEqual(expect.arrayContaining(['VariableRate', 'HigherInstalment']));
  });

  it('states that a rate cannot be calculated without a percent sign, and leaves an example of it to the lender', () => {
    const document = documentOf(homeLoan({ interests: COLLECTION }, 100_000));
    expect(pointOf(document, 'APRC').Text).toBe('cannot be calculated');
    expect(pointOf(document, 'InitialPeriodAPRC').Text).toMatch(/^cannot be calculated for the first 60 /);
    expect(document.Missing).toContain('VariableRate');
    expect(pointOf(document, 'HigherInstalment').Text).toContain('rose to 6.50 % from instalment 61 on');
  });

  it('leaves the example to the lender if the loan cannot be calculated at the highest rate of the catalogue', () => {
    const Values = [
      { Value: 1e9, ...days('2010-01-01', '2010-12-31') },
      { Value: 4.2, ...days('2011-01-01', null) },
    ];
    const document = documentOf(homeLoan({ interests: [interest({ Type: 'Variable', Values })] }));
    expect(document.Missing).toEqual(expect.arrayContaining(['VariableRate', 'HigherInstalment']));
  });

  it('refuses a first row beyond the loan', () => {
    const outcome = documentOutcome(homeLoan(), { HighestRate: HIGHEST, HighestRateFrom: 241 });
    const fault = {
      path: 'HighestRateFrom',
      code: 'out-of-range',
      message: 'must be a whole number from 1 to 240',
    };
    expect(outcome).toMatchObject({ kind: 'refused', faults: [{ ...fault, status: 422 }] });
    expect(documentOutcome(homeLoan(), { HighestRate: HIGHEST, HighestRateFrom: 0 })).toMatchObject({
      faults: [fault],
    });
    const last = documentOf(homeLoan(), { HighestRate: HIGHEST, HighestRateFrom: 240 });
    expect(figuresOf(last)).toMatchObject({ HighestRateFrom: 240, InitialPeriodRows: null });
  });

  it('finds the variable rate of a Collection by its name, wherever it and its ranges stand', () => {
    const [collection, fixed, later] = COLLECTION;
    if (collection === undefined || fixed === undefined || later === undefined)
      throw new Error('no interests');
    const [first, second] = collection.CollectionInterests;
    if (first === undefined || second === undefined) throw new Error('no ranges');
    const spans = [{ ...second, InterestStartPeriod: 121 }, { ...second, InterestEndPeriod: 120 }, first];
    const interests = [later, fixed, { ...collection, CollectionInterests: spans }];
    const document = documentOf(homeLoan({ interests }));
    expect(figuresOf(document)).toMatchObject({
      InitialPeriodRows: 60,
      HighestRate: '6.5',
      HighestRateFrom: 61,
    });
    const alone = documentOf(homeLoan({ interests: [later, { ...fixed, IsDefault: true }] }));
    expect(figuresOf(alone)).toMatchObject({ HighestRate: null });
  });

  it('refuses a rate at which the loan cannot be calculated, and reports a first row without a rate', () => {
    const impossible = documentOutcome(homeLoan(), { HighestRate: new Decimal('1e9') });
    const fault = {
      path: 'HighestRate',
      code: 'out-of-range',
      message: 'must be a rate at which the loan can be calculated',
    };
    expect(impossible).toMatchObject({ kind: 'refused', faults: [{ ...fault, status: 422 }] });
    expect(documentOutcome(homeLoan())).toMatchObject({ warnings: [] });
    const idle = documentOutcome(homeLoan(), { HighestRateFrom: 2 });
    expect(idle).toMatchObject({ warnings: [{ code: 'no-effect', path: 'HighestRateFrom' }] });
  });

  test('count an initial period from five years on, and ranges of the same rate as one', () => {
    expect(rowsOf('Monthly', ranges([4, 59], [5, 240]))).toBeUndefined();
    expect(rowsOf('Monthly', ranges([4, 60], [5, 240]))).toBe(60);
    expect(rowsOf('Monthly', ranges([4, 30], [4, 72], [5, 240]))).toBe(72);
    expect(rowsOf('Monthly', ranges([4, 240]))).toBeUndefined();
    expect(rowsOf('Annual', ranges([4, 5], [5, 240]))).toBe(5);
    expect(rowsOf('Weekly', ranges([4, 260], [5, 240]))).toBeUndefined();
    expect(rowsOf('Weekly', ranges([4, 261], [5, 400]))).toBe(261);
    expect(rowsOf('Monthly', ranges([4, 60], [5, 240]), { InterestType: 1 })).toBeUndefined();
    expect(rowsOf('Monthly', ranges([4, 61], [5, 240]), { InterestType: 1 })).toBe(61);
    const [start, end] = ranges([4, 60], [5, 240]);
    expect(
      rowsOf('Monthly', [
        { ...end!, FromInstNo: 61 },
        { ...start!, FromInstNo: 1 },
      ]),
    ).toBe(60);
  });
});

const TERMS = {
  ScheduleType: 'EqualInstallments',
  Amount: new Decimal(1),
  InstallmentsNo: 240,
  PeriodicityType: 'Monthly',
  InstallmentDay: 1,
};

const rowsOf = (name: string, MultipleInterestRates: readonly InterestRateRange[], changes = {}) =>
  initialPeriodRows({ ...TERMS, MultipleInterestRates, ...changes }, periodicity(name));

describe('the table of an ESIS (T4)', () => {
  it('has each instalment of the first year with a subtotal, a line a year, and the total', () => {
    const [table] = documentOf(homeLoan()).Sections.flatMap(({ Table }) => Table ?? []);
    const lineOf = (name: string) => table?.Lines.find(({ Cells }) => Cells[0] === name)?.Cells.slice(2);
    expect(table?.Lines.map(({ Kind }) => Kind)).toEqual([
      ...Array.from({ length: 12 }, () => 'instalment'),
      'subtotal',
      ...Array.from({ length: 19 }, () => 'year'),
      'total',
    ]);
    expect(lineOf('1')).toEqual(['616.57', '350.00', '0.00', '266.57', '99,733.43']);
    expect(lineOf('Year 1, subtotal')).toEqual(['7,398.84', '4,137.69', '0.00', '3,261.15', '96,738.85']);
    expect(lineOf('Year 2')).toEqual(['7,398.84', '3,998.07', '0.00', '3,400.77', '93,338.08']);
    expect(lineOf('Total')).toEqual(['147,977.04', '47,977.04', '0.00', '100,000.00', '0.00']);
  });

  it.each([
    ['Quarterly', 9, ['subtotal 1', 'year 2', 'year 3']],
    ['Annual', 3, ['subtotal 1', 'year 2', 'year 3']],
    ['Semimonthly', 25, ['subtotal 1', 'year 2']],
    ['Biweekly', 27, ['subtotal 1', 'year 2']],
    ['Daily', 366, ['subtotal 1', 'year 2']],
    ['Daily', 365, ['subtotal 1']],
    ['Weekly', 53, ['subtotal 1', 'year 2']],
    ['Once', 1, ['subtotal 1']],
  ])('groups %s instalments by years', (name, count, sums) => {
    const rows = Array.from({ length: count }, (_, at) => paid(at + 1));
    const lines = yearLines(rows, periodicity(name)).filter(
      ({ kind }) => kind === 'year' || kind === 'subtotal',
    );
    expect(lines.map(({ kind, number }) => `${kind} ${number}`)).toEqual(sums);
  });

  it('counts a residual row on the last due date in the year of that date, and its balance with capitalised interest', () => {
    const rows = [
      ...Array.from({ length: 12 }, (_, at) => paid(at + 1)),
      { ...paid(13), dueDate: paid(12).dueDate },
    ];
    expect(
      yearLines(rows, periodicity('Monthly'))
        .map(({ kind }) => kind)
        .slice(-2),
    ).toEqual(['subtotal', 'total']);
    const [capitalised] = yearLines([{ ...paid(1), capitalisedInterest: 7 }], periodicity('Monthly'));
    expect(capitalised).toMatchObject({ balance: 97, costs: 3 });
  });
});

function paid(InstallmentNo: number): PaidRow {
  const dueDate = (date('2026-01-01') + InstallmentNo) as PaidRow['dueDate'];
  return { InstallmentNo, dueDate, remainingValue: 100, interest: 5, principal: 10, totalInstallment: 18 };
}
