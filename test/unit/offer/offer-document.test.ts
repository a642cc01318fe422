import { readFileSync } from 'node:fs';
import { Decimal } from 'decimal.js';
import { describe, expect, it, test } from 'vitest';
import { offerDocument, type OfferDocument } from '../../../shared/api/actions/offer-document-fields.ts';
import { pointIds } from '../../../shared/offer/build-offer-document.ts';
import { BUILT_IN_PERIODICITIES } from '../../../shared/lending/dates/periodicity.ts';
import { renderHtml } from '../../../shared/offer/render-html.ts';
import { renderPdf } from '../../../shared/offer/render-pdf.ts';
import { FORM_WORDING, frequencyWords } from '../../../shared/offer/wording.ts';
import { plain, readPdf } from '../../support/read-pdf.ts';
import {
  documentOf,
  documentOutcome,
  homeLoan,
  LENDER,
  pointOf,
} from '../../support/worlds/offered-document.ts';
import { EXAMPLE_CATALOGUE } from '../../support/builders/example-catalogue.ts';
import { date } from '../../support/builders/lending-loan.ts';
import {
  commission,
  guid,
  insurance,
  interest,
  price,
  rate,
} from '../../support/worlds/simulated-product.ts';

const HIGHEST = { HighestRate: new Decimal('7.448'), HighestRateFrom: 13 };
const LOGO = `data:image/png;base64,${readFileSync('docs/images/workbench-timeline.png').toString('base64')}`;
const personal = {
  commissions: [
    commission(),
    commission({ Id: guid(201), Name: 'File <fee>', PeriodicityType: 'Once', ...price(100) }),
  ],
  insurances: [insurance()],
};

const documents: readonly (readonly [name: string, document: OfferDocument])[] = [
  ['ESIS en', documentOf(homeLoan(), HIGHEST)],
  ['ESIS ro', documentOf(homeLoan(), { ...HIGHEST, Language: 'ro' }, { ...LENDER, logo: LOGO })],
  ['ConsumerCredit en', documentOf(personal, { loanPeriod: 60 })],
  ['ConsumerCredit ro', documentOf(personal, { loanPeriod: 12, Language: 'RO' })],
];

/** Every text of a document, in the order of reading. */
function textsOf({ Title, Sections }: OfferDocument): readonly string[] {
  const ofSections = Sections.flatMap(({ Heading, Points, Table }) => [
    Heading,
    ...Points.flatMap(({ Label, Note, Text }) => [Label, Note ?? '', Text ?? '']),
    ...(Table === null
      ? []
      : [Table.Caption, ...Table.Columns, ...Table.Lines.flatMap(({ Cells }) => Cells)]),
  ]);
  return [Title, ...ofSections].filter((text) => text !== '').map(plain);
}

/** Finds the texts one after the other; returns the first that does not follow the others. */
function firstMissing(whole: string, texts: readonly string[]): string | undefined {
  let from = 0;
  return texts.find((text) => {
    const at = whole.indexOf(text, from);
    if (at < 0) return true;
    from = at + text.length;
    return false;
  });
}

describe.each(documents)('%s', (name, document) => {
  it('has the structure of the reply, and says which points the lender must complete', () => {
    expect(offerDocument.safeParse(JSON.parse(JSON.stringify(document)))).toMatchObject({ success: true });
    expect(`${document.Form} ${document.Language}`).toBe(name);
    const marked = document.Sections.flatMap(({ Points }) => Points.filter(({ IsMissing }) => IsMissing));
    expect(document.Missing).toEqual(marked.map(({ Id }) => Id));
  });

  it('has all its texts in the order of reading in the PDF, which is tagged, numbered and searchable', async () => {
    const bytes = await renderPdf(document);
    const { pages, text, roles, info, isMarked } = await readPdf(bytes);
    const { Columns: columns = [] } = document.Sections.find(({ Table }) => Table !== null)?.Table ?? {};
    const shown = pages.map((page, at) => {
      expect(page).toMatch(new RegExp(`Pag(e|ina) ${at + 1} (of|din) ${pages.length}$`));
      const body = page.replace(/Pag(e|ina) \d+ (of|din) \d+$/, '').trim();
      return at > 0 && body.startsWith(columns[0] ?? '-')
        ? body.slice(columns.map(plain).join(' ').length)
        : body;
    });
    expect(firstMissing(shown.join(' '), textsOf(document))).toBeUndefined();
    expect(text).not.toMatch(/[�]/);
    expect(isMarked).toBe(true);
    expect(info).toMatchObject({ Title: document.Title, Language: document.Language });
    expect(bytes.toString('latin1')).toContain('<pdfuaid:part>1</pdfuaid:part>');
    const lines = document.Sections.flatMap(({ Table }) => Table?.Lines ?? []).length;
    const count = (role: string) => roles.filter((one) => one === role).length;
    // The tree of a page has all rows of a table that continues on it.
    const pagesOfTable = count('Table');
    expect({ h1: count('H1'), h2: count('H2'), rows: count('TR') / pagesOfTable }).toEqual({
      h1: 1,
      h2: document.Sections.length,
      rows: lines + 1,
    });
    expect(count('TH') / pagesOfTable).toBe(columns.length + lines);
    expect(count('Figure')).toBe(document.Logo === null ? 0 : 1);
  });

  it('has all its texts in the HTML page, whose headings, lists and tables are marked as such', () => {
    const page = renderHtml(document);
    const escaped = textsOf(document).map((text) => text.replaceAll('<', '&lt;').replaceAll('>', '&gt;'));
    expect(firstMissing(plain(page.replaceAll(/<(?!title)[^>]*>/g, ' ')), escaped)).toBeUndefined();
    expect(page).toContain(`<html lang="${document.Language}">`);
    expect(page).not.toMatch(/<script|https?:|<fee>/);
    expect(page.match(/<h2 /g)).toHaveLength(document.Sections.length);
    expect(page).toContain('<th scope="col">');
    expect(page).toContain('<th scope="row">');
  });
});

test('the form follows from the product, and its key information is on the first two pages (T1)', async () => {
  const { pages } = await readPdf(await renderPdf(documentOf(personal, { loanPeriod: 60 })));
  expect(pages[0]).toContain('Total amount you will have to pay');
  const next = pages.findIndex((page) =>
    page.startsWith('Additional information about the credit agreement'),
  );
  expect(next).toBeGreaterThan(0);
  expect(next).toBeLessThanOrEqual(2);
});

/** Whether two texts, given by page, left, bottom and width, overlap. */
const isOver = ([page, x = 0, y = 0, width = 0]: readonly number[], other: readonly number[]): boolean => {
  const [otherPage, left = 0, bottom = 0, otherWidth = 0] = other;
  return page === otherPage && Math.abs(y - bottom) < 5 && x < left + otherWidth && left < x + width;
};

test('the lines of the table do not overlap, however long their figures are', async () => {
  const document = documentOf(homeLoan(), { amount: new Decimal('9999999999999.99'), Language: 'ro' });
  const { places } = await readPdf(await renderPdf(document));
  const overlapping = places.filter((one, at) => places.slice(at + 1).some((other) => isOver(one, other)));
  expect(places.length).toBeGreaterThan(200);
  expect(overlapping).toEqual([]);
});

test('the PDF of a document is always the same', async () => {
  const document = documentOf(personal, { loanPeriod: 4 });
  expect(await renderPdf(document)).toEqual(await renderPdf(document));
});

test('Romanian is written with a comma below s and t, and with its own figures', async () => {
  const document = documentOf(homeLoan(), { ...HIGHEST, Language: 'ro' });
  expect(pointOf(document, 'TotalAmountOfCredit').Text).toBe('100.000,00 EUR');
  expect(pointOf(document, 'APRC').Text).toBe('4,4461 %');
  const { text } = await readPdf(await renderPdf(document));
  expect(text).toContain('Strada Țepeș 1, București');
  expect(JSON.stringify(FORM_WORDING)).not.toMatch(/[şţŞŢ]/);
});

test('an entry of the request takes the place of a text, and completes a point (T2)', () => {
  const Entries = [
    { Point: 'LatePayments', Text: 'Penalty interest of 3 %.' },
    { Point: 'PersonalisedPrice', Text: 'Yes' },
    { Point: 'LenderName', Text: 'Other bank' },
  ];
  const document = documentOf(personal, { Entries });
  expect(pointOf(document, 'LatePayments')).toMatchObject({
    Text: 'Penalty interest of 3 %.',
    IsMissing: false,
  });
  expect(pointOf(document, 'PersonalisedPrice').Text).toBe('Yes');
  expect(pointOf(document, 'LenderName').Text).toBe('Other bank');
  expect(document.Missing).toEqual(['Drawdown', 'CompulsoryServices', 'Redress']);
});

describe('the texts of an offer', () => {
  it.each([
    [
      'monthly',
      { PercentAppliedTo: 'RemainingValue', PerAnnum: true },
      'en',
      '0.60 % a year of the outstanding capital, monthly',
    ],
    [
      'monthly',
      { PercentAppliedTo: 'RemainingValue', PerAnnum: true },
      'ro',
      '0,60 % pe an din capitalul rămas, lunar',
    ],
    ['monthly', {}, 'en', '0.60 % of the amount financed, monthly'],
    ['once', { PeriodicityType: 'ONCE ', PerAnnum: true }, 'en', '0.60 % of the amount financed, once'],
  ])('state the base and the year of a percentage: %s, %o, %s', (when, changes, Language, text) => {
    const fee = commission({ ValueIsPercent: true, ...price(null, 0.6), ...changes });
    const document = documentOf({ commissions: [fee] }, { loanPeriod: 12, Language });
    const id = when === 'once' ? 'CostsAtStart' : 'RegularCosts';
    expect(pointOf(document, id).Text).toBe(`Administration: ${text}`);
  });

  it('write prices with the digits of the currency (M2)', () => {
    const commissions = [commission({ Currency: 'JPY', ...price(1500) })];
    const document = documentOf({ commissions, availability: { Currency: 'JPY' } }, { loanPeriod: 12 });
    expect(pointOf(document, 'RegularCosts').Text).toBe('Administration: 1,500 JPY, monthly');
  });

  it('leave the costs to the lender if one of them is not counted (Q8)', () => {
    const insurances = [insurance({ IncludedIntoRepaymentScheduleInstallment: false })];
    const costs = ['CostsAtStart', 'RegularCosts', 'UnknownCosts'];
    expect(documentOf(homeLoan({ insurances })).Missing).toEqual(expect.arrayContaining(costs));
    expect(documentOf({ insurances }).Missing).toEqual(
      expect.arrayContaining(['CostsAtStart', 'RegularCosts', 'Insurances']),
    );
    expect(documentOf(homeLoan()).Missing).not.toContain('UnknownCosts');
  });

  it('name one amount only if all instalments but the last have it, and the last by itself', () => {
    const level = documentOf(homeLoan());
    expect(pointOf(level, 'InstalmentValue').Text).toBe('616.57 EUR\nLast instalment: 616.81 EUR');
    const early = documentOf({}, { loanPeriod: 24, installmentValue: new Decimal(20_000) });
    expect(pointOf(early, 'Instalments').Text).toMatch(
      /^6 instalments of 20,000.00 EUR, .* 30 May 2027\nLast instalment: 3,111.71 EUR\nInterest and/,
    );
    const grace = { GracePeriodPrincipal: 12 };
    expect(pointOf(documentOf(homeLoan(), grace), 'InstalmentValue').Text).toBe('as in the table');
    expect(pointOf(documentOf({}, { ...grace, loanPeriod: 24 }), 'Instalments').Text).toMatch(
      /^24 instalments, monthly, as in the table; /,
    );
  });

  it('state the type after the rates of ranges', () => {
    const interests = [interest({ Type: 'Collection', CollectionInterests: [], Values: [] })];
    const jsonMultipleInterestRates = [
      { InterestRate: new Decimal(4), FromInstNo: 1, ToInstNo: 6 },
      { InterestRate: new Decimal(5) },
    ];
    const changes = { loanPeriod: 12, interestTypeName: 'Collection', jsonMultipleInterestRates };
    const textOf = (span: readonly string[]) => {
      const CollectionInterests = span.map((InterestName) => ({
        InterestName,
        InterestStartPeriod: 7,
        InterestEndPeriod: null,
        InterestStartDate: null,
        InterestEndDate: null,
      }));
      const later = interest({ Id: guid(101), Name: 'Later', Code: 'VAR', Type: 'Variable' });
      const offering = { interests: [{ ...interests[0]!, CollectionInterests }, later] };
      return pointOf(documentOf(offering, changes), 'BorrowingRate').Text;
    };
    const lines = '4.00 % for instalments 1 to 6\n5.00 % for instalments 7 to 12';
    expect(textOf(['Later'])).toBe(lines);
    expect(textOf([])).toBe(`${lines}\ndifferent rates for periods of the loan`);
  });

  it.each([
    [{}, '12 periods (monthly), until 30 November 2027', 'last on 30 November 2027', '13'],
    [{ InterestType: 1 }, '12 periods (monthly), until 30 November 2027', 'last on 30 October 2027', '13'],
    [
      { InterestType: 1, FirstDueDate: date('2026-12-15') },
      '12 periods (monthly), until 15 November 2027',
      'last on 15 October 2027',
      '13',
    ],
  ])('count a residual row only among the payments: %o', (changes, duration, last, payments) => {
    const product = { ResidualPercent: 50 };
    const request = { loanPeriod: 12, ...changes };
    const consumer = documentOf({ product }, request);
    expect(pointOf(consumer, 'Duration').Text).toBe(duration);
    expect(pointOf(consumer, 'Instalments').Text).toMatch(new RegExp(`^12 instalments .*${last}$`, 'm'));
    const { product: mortgage } = homeLoan();
    const sheet = documentOf(homeLoan({ product: { ...mortgage, ...product } }), request);
    expect(pointOf(sheet, 'NumberOfPayments').Text).toBe(payments);
  });
});

const shownIds = ({ Sections }: OfferDocument) =>
  Sections.flatMap(({ Points }) => Points.map(({ Id }) => Id));

describe('an ESIS', () => {
  it.each([
    ['Monthly', 'en', ['your monthly repayment instalments', 'your monthly payments', 'paid every month.']],
    ['Quarterly', 'en', ['your quarterly repayment', 'your quarterly payments', 'to be paid every quarter.']],
    ['Quarterly', 'ro', ['ratele trimestriale', 'plăților trimestriale', 'plătită trimestrial.']],
  ])('names the frequency of its payments: %s, %s', (PeriodicityType, Language, words) => {
    const offering = homeLoan({ general: { PeriodicityType } });
    const document = documentOf(offering, { loanPeriod: 12, Language });
    const notes = ['Income', 'HomeAtRisk', 'TableExplained'].map((id) => pointOf(document, id).Note);
    for (const [at, text] of words.entries()) expect(notes[at]).toContain(text);
  });

  it('calls its total illustrative and marks the lines of the table from the first variable rate on (T4)', async () => {
    const range = { InterestStartDate: null, InterestEndDate: null };
    const CollectionInterests = [
      { ...range, InterestName: 'Fixed', InterestStartPeriod: 1, InterestEndPeriod: 9 },
      { ...range, InterestName: 'Later', InterestStartPeriod: 10, InterestEndPeriod: null },
    ];
    const interests = [
      interest({ Name: 'First', Type: 'Collection', CollectionInterests, IsDefault: true, Values: [] }),
      interest({ Id: guid(101), Name: 'Fixed', Code: 'FIX' }),
      interest({ Id: guid(102), Name: 'Later', Code: 'VAR', Type: 'Variable' }),
    ];
    const document = documentOf(homeLoan({ interests }), { loanPeriod: 30, interestTypeName: 'Collection' });
    const lines = document.Sections.flatMap(({ Table }) => Table?.Lines ?? []);
    const marked = lines.filter(({ IsHypothetical }) => IsHypothetical).map(({ Cells }) => Cells[0]);
    expect(marked).toEqual(['10', '11', '12', 'Year 1, subtotal', 'Year 2', 'Year 3', 'Total']);
    expect(pointOf(document, 'TableVaries').Text).toContain('from instalment 10 on');
    expect(pointOf(document, 'IllustrativeTotal')).toMatchObject({ Text: null, IsWarning: true });
    expect(renderHtml(document)).toContain('<tr class="year hypothetical"><th scope="row">Year 2</th>');
    const slanted = (await renderPdf(document)).length;
    const plainLines = { ...document, Sections: document.Sections.map(withoutMarks) };
    expect(slanted).toBeGreaterThan((await renderPdf(plainLines)).length);
  });

  it('does not count a variable range that is not in force on the day', () => {
    const always = {
      InterestStartPeriod: null,
      InterestEndPeriod: null,
      InterestStartDate: null,
      InterestEndDate: null,
    };
    const typeOf = (lastDay: string) => {
      const CollectionInterests = [
        { ...always, InterestName: 'Fixed' },
        { ...always, InterestName: 'Later', InterestEndDate: lastDay },
      ];
      const interests = [
        interest({ Name: 'First', Type: 'Collection', CollectionInterests, IsDefault: true, Values: [] }),
        interest({ Id: guid(101), Name: 'Fixed', Code: 'FIX' }),
        interest({ Id: guid(102), Name: 'Later', Code: 'VAR', Type: 'Variable' }),
      ];
      const rates = [{ InterestRate: new Decimal(4) }];
      const request = { interestTypeName: 'Collection', jsonMultipleInterestRates: rates };
      return pointOf(documentOf(homeLoan({ interests }), request), 'RateType').Text;
    };
    expect(typeOf('2026-11-29')).toBe('fixed for the duration of the loan');
    expect(typeOf('2026-11-30')).toBe('[to be completed by the lender]');
  });

  it('with a fixed rate is neither illustrative nor marked', () => {
    const document = documentOf(homeLoan({ interests: [interest({ Type: 'Fixed' })] }));
    expect(shownIds(document)).not.toEqual(expect.arrayContaining(['IllustrativeTotal']));
    expect(shownIds(document)).not.toEqual(expect.arrayContaining(['TableVaries']));
    expect(JSON.stringify(document)).not.toContain('"IsHypothetical":true');
  });

  it('highlights its warnings', () => {
    const page = renderHtml(documentOf(homeLoan(), HIGHEST));
    const highlighted = [...page.matchAll(/<div class="warning"><dt id="(\w+)">/g)].map(([, id]) => id);
    expect(highlighted).toEqual([
      'ValidUntil',
      'IllustrativeTotal',
      'VariableRate',
      'Income',
      'HigherInstalment',
      'Consequences',
      'HomeAtRisk',
    ]);
    expect(renderHtml(documentOf(personal))).not.toContain('class="warning"');
  });

  it('says what is owed at the end because the instalments do not repay it (T2)', () => {
    const half = { ResidualPercent: 50 };
    const residual = homeLoan({ product: { ...homeLoan().product, ...half } });
    expect(pointOf(documentOf(residual, { loanPeriod: 60 }), 'InterestOnly').Text).toBe(
      'Part of this is an interest-only loan. You will still owe 50,000.00 EUR at the end of the mortgage term.',
    );
    const bullet = documentOf(homeLoan(), { loanPeriod: 60, GracePeriodPrincipal: 59 });
    expect(pointOf(bullet, 'InterestOnlyRepayment').Text).toContain('repay the 100,000.00 EUR you will owe');
    expect(pointOf(bullet, 'InterestOnly').Text).toMatch(/^This is an interest-only loan\./);
    const grace = documentOf(homeLoan(), { loanPeriod: 60, GracePeriodPrincipal: 12 });
    expect(shownIds(grace)).not.toEqual(expect.arrayContaining(['InterestOnly']));
  });
});

function withoutMarks(section: OfferDocument['Sections'][number]) {
  const { Table } = section;
  const Lines = Table?.Lines.map((line) => ({ ...line, IsHypothetical: false })) ?? [];
  return { ...section, Table: Table && { ...Table, Lines } };
}

describe('the consumer form', () => {
  it('is its own example, and names the compulsory insurances, if all charges are counted (T2)', () => {
    const document = documentOf(personal, { loanPeriod: 12 });
    const example = pointOf(document, 'RepresentativeExample').Text;
    for (const id of ['TotalAmountOfCredit', 'Duration', 'TotalAmountPayable', 'APRC'])
      expect(example).toContain(pointOf(document, id).Text);
    expect(pointOf(document, 'CompulsoryInsurance').Text).toBe('Yes: Life');
    const uncounted = insurance({
      Id: guid(301),
      InsuranceName: 'Home',
      IncludedIntoRepaymentScheduleInstallment: false,
    });
    const known = ['RepresentativeExample', 'CompulsoryInsurance'];
    expect(documentOf({ insurances: [insurance(), uncounted] }).Missing).toEqual(
      expect.arrayContaining(known),
    );
    expect(documentOf({}).Missing).toContain('CompulsoryInsurance');
  });

  it('does not call an insurance compulsory that only the request names', () => {
    const insurances = [insurance({ IsMandatoryForApplicant: false })];
    const document = documentOf({ insurances }, { OptionalInsurances: [{ Name: 'Life' }] });
    expect(pointOf(document, 'Insurances').Text).toBe('Life: 3.00 EUR, monthly');
    expect(document.Missing).toContain('CompulsoryInsurance');
  });

  it('has the heading above its further sections, and drops sections of which no point applies', () => {
    const ids = documentOf(personal).Sections.map(({ Id }) => Id);
    expect(ids.slice(2, 4)).toEqual(['AdditionalInformation', 'MainFeatures']);
    expect(ids).not.toContain('DistanceMarketing');
  });
});

test('what the settings do not have is left to the lender (T3)', () => {
  const nobody = { name: undefined, address: undefined, contact: undefined, logo: undefined };
  const document = documentOf(personal, {}, nobody);
  expect(document).toMatchObject({ LenderName: null, Logo: null });
  expect(document.Missing).toEqual([
    'LenderName',
    'LatePayments',
    'LenderContact',
    'Drawdown',
    'CompulsoryServices',
    'Redress',
  ]);
});

test('names of fields and points that are unknown are refused together (E3)', () => {
  const outcome = documentOutcome(personal, {
    Language: 'de',
    Format: 'docx',
    Entries: [{ Point: 'X', Text: 'y' }],
    loanPeriod: 1201,
  });
  if (outcome.kind !== 'refused') throw new Error('the request was not refused');
  expect(outcome.faults.map(({ path, status }) => `${path} ${status}`)).toEqual([
    'loanPeriod 422',
    'Language 422',
    'Format 422',
    'Entries[0].Point 422',
  ]);
});

test('several offers need the ids of one of them (T1)', () => {
  const offering = {
    interests: [interest({ IsDefault: true }), interest({ Id: guid(101), Name: 'Other', Code: 'OTH' })],
  };
  const several = { interestTypeName: 'Fixed' };
  expect(documentOutcome(offering, several)).toMatchObject({
    kind: 'refused',
    faults: [{ path: 'InterestId', status: 422 }],
  });
  expect(documentOutcome(offering, { ...several, InterestId: guid(101).toUpperCase() })).toMatchObject({
    record: { interestId: guid(101) },
  });
  expect(documentOutcome(offering, { ...several, InterestId: guid(999) })).toMatchObject({
    faults: [{ path: 'InterestId' }],
  });
});

test('an income, and outside mortgages a highest rate, have no effect (E5)', () => {
  const Income = new Decimal(3000);
  expect(documentOutcome(homeLoan(), { ...HIGHEST, Income })).toMatchObject({
    warnings: [{ code: 'no-effect', path: 'Income' }],
  });
  expect(documentOutcome(personal, { ...HIGHEST, Income })).toMatchObject({
    warnings: [
      { code: 'no-effect', path: 'Income' },
      { code: 'no-effect', path: 'HighestRate' },
      { code: 'no-effect', path: 'HighestRateFrom' },
    ],
  });
});

const numbersOf = (form: keyof typeof FORM_WORDING) =>
  FORM_WORDING[form].sections.flatMap(({ heading }) => /^\d+/.exec(heading.en)?.[0] ?? []).map(Number);

describe('the fixed wording (T2)', () => {
  it('has for each text both languages and its source, and says which of them were compared with the annex', () => {
    for (const { sections, source, title } of Object.values(FORM_WORDING)) {
      const texts = [
        title,
        ...sections.flatMap(({ heading, points }) => [
          heading,
          ...points.flatMap(({ label, note }) => [label, ...(note ? [note] : [])]),
        ]),
      ];
      for (const text of texts) {
        expect(text.en).not.toBe('');
        expect(text.ro).not.toBe('');
        const compared = text.annex ?? [];
        expect(compared.every((language) => ['en', 'ro'].includes(language))).toBe(true);
        expect(new Set(compared).size).toBe(compared.length);
      }
      expect(source).toMatch(/^Directive .*, annex I/);
      expect(sections.every((section) => section.source.startsWith('annex I'))).toBe(true);
    }
  });

  it('has every section of the annexes, and nothing in brackets that a lender would print', () => {
    expect(numbersOf('ESIS')).toEqual(Array.from({ length: 15 }, (_, at) => at + 1));
    expect(numbersOf('ConsumerCredit')).toEqual([1, 2, 3, 4]);
    expect(JSON.stringify(Object.values(FORM_WORDING).map(({ sections }) => sections))).not.toMatch(
      /"(en|ro)":"[^"]*([[]|{(?!adjective}|every}))/,
    );
  });

  it('explains the table by the numbers of its columns', () => {
    const document = documentOf(homeLoan());
    const { Columns = [] } = document.Sections.find(({ Table }) => Table !== null)?.Table ?? {};
    const named = pointOf(document, 'TableExplained').Note?.matchAll(/([\w ]+) \(column (\d)\)/g) ?? [];
    expect([...named].map(([, words, column]) => [words?.trim(), Columns[Number(column) - 1]])).toEqual([
      ['The instalments', 'Amount of the instalment'],
      ['are the sum of interest to be paid', 'Interest to be paid per instalment'],
      ['capital paid', 'Capital repaid per instalment'],
      ['other costs', 'Other costs included in the instalment'],
      ['Outstanding capital', 'Outstanding capital after each instalment'],
    ]);
  });

  it('warns of the home, of a variable rate and of a lower income in every such mortgage', () => {
    const warnings = ['VariableRate', 'HigherInstalment', 'Income', 'OtherTaxes', 'HomeAtRisk'];
    const shown = (offering: Parameters<typeof documentOf>[0]) =>
      documentOf(offering)
        .Sections.flatMap(({ Points }) => Points.map(({ Id }) => Id))
        .filter((id) => warnings.includes(id));
    expect(new Set(shown(homeLoan()))).toEqual(new Set(warnings));
    expect(shown(homeLoan({ interests: [interest({ Type: 'Fixed' })] }))).toEqual([
      'OtherTaxes',
      'Income',
      'HomeAtRisk',
    ]);
  });

  it('names every built-in periodicity in both languages, and others by their count and unit', () => {
    for (const periodicity of BUILT_IN_PERIODICITIES)
      for (const language of ['en', 'ro'] as const)
        expect(Object.values(frequencyWords(language, periodicity))).not.toContain(periodicity.name);
    const quarter = { name: 'none', count: 3, unit: 'Months' } as const;
    expect(frequencyWords('en', quarter)).toEqual({
      frequency: 'quarterly',
      adjective: 'quarterly',
      every: 'every quarter',
    });
    const own = { ...quarter, name: 'Every 4 months', count: 4 };
    expect(frequencyWords('ro', own)).toMatchObject({
      frequency: 'la fiecare 4 luni',
      adjective: 'periodice',
    });
    expect(frequencyWords('ro', { ...own, count: 20 }).every).toBe('la fiecare 20 de luni');
    expect(frequencyWords('en', { ...own, unit: 'HalfMonths' }).frequency).toBe('every 4 half months');
    expect(frequencyWords('en', { ...own, unit: 'Weeks', count: 10 }).frequency).toBe('every 10 weeks');
  });

  it('has each point of a form once', () => {
    for (const form of ['ESIS', 'ConsumerCredit'] as const)
      expect(new Set(pointIds(form)).size).toBe(pointIds(form).length);
  });

  it('numbers the sections without the gaps of those that do not apply', () => {
    const numbers = documentOf(homeLoan()).Sections.flatMap(
      ({ Heading }) => /^(\d+)\./.exec(Heading)?.[1] ?? [],
    );
    expect(numbers).toEqual(Array.from({ length: numbers.length }, (_, at) => String(at + 1)));
  });
});

test('a logo that is no image is refused by the printer', async () => {
  const document = documentOf(personal, { loanPeriod: 4 }, { ...LENDER, logo: 'data:image/png;base64,AAAA' });
  await expect(renderPdf(document)).rejects.toThrow('Unknown image format');
});

const textOf = (document: OfferDocument, id: string) => pointOf(document, id).Text;
type Span = readonly [name: string, from: number];
const spans = (starts: readonly Span[]) =>
  starts.map(([InterestName, InterestStartPeriod]) => ({
    InterestName,
    InterestStartPeriod,
    InterestEndPeriod: null,
    InterestStartDate: null,
    InterestEndDate: null,
  }));

/** A mortgage of which the ranges of a Collection name the interests Fixed, 4 %, and Later, 5 %. */
function rangedLoan(...starts: readonly Span[]): Parameters<typeof documentOf>[0] {
  const [first, next] = starts;
  const ranges = spans(starts).map((range) =>
    range.InterestName === first?.[0] && next !== undefined
      ? { ...range, InterestEndPeriod: next[1] - 1 }
      : range,
  );
  return homeLoan({
    interests: [
      interest({ Type: 'Collection', CollectionInterests: ranges, IsDefault: true, Values: [] }),
      interest({ Id: guid(101), Name: 'Fixed', Code: 'FIX', ...rate(4) }),
      interest({ Id: guid(102), Name: 'Later', Code: 'VAR', Type: 'Variable', ...rate(5) }),
    ],
  });
}

describe('the rate of an ESIS (annex II, part B, sections 3 and 4)', () => {
  it('says first which instalments have a fixed rate, and leaves the revision of a variable one to the lender', () => {
    const document = documentOf(rangedLoan(['Fixed', 1], ['Later', 61]));
    expect(textOf(document, 'RateType')).toBe('fixed up to instalment 60, variable from instalment 61 on');
    expect(document.Missing).toContain('RateRevision');
    expect(document.Figures.InitialPeriodRows).toBe(60);
    expect(shownIds(documentOf(homeLoan({ interests: [interest()] })))).not.toContain('RateRevision');
  });

  it('is left to the lender if it is not known which instalments have a variable one (art. 17(5))', () => {
    const early = documentOf(rangedLoan(['Later', 1], ['Fixed', 61]));
    expect(early.Missing).toEqual(expect.arrayContaining(['RateType', 'InitialPeriodAPRC', 'TableVaries']));
    expect(textOf(early, 'BorrowingRate')).toMatch(/ for instalments 61 to 240$/);
    const jsonMultipleInterestRates = [
      { InterestRate: new Decimal(3), ToInstNo: 120 },
      { InterestRate: new Decimal(6) },
    ];
    const sent = documentOf(rangedLoan(['Fixed', 1], ['Later', 61]), {
      jsonMultipleInterestRates,
      ...HIGHEST,
    });
    expect(sent.Missing).toEqual(expect.arrayContaining(['RateType', 'InitialPeriodAPRC', 'TableVaries']));
    expect(sent.Figures).toMatchObject({ InitialPeriodRows: null, HighestRateFrom: 13 });
  });

  it('does not claim a fixed period whose ranges are all variable (art. 17(5))', () => {
    const later = interest({ Id: guid(103), Name: 'Last', Code: 'LST', Type: 'Variable', ...rate(6) });
    const { interests = [], ...others } = rangedLoan(['Later', 1], ['Last', 61]);
    const document = documentOf({ ...others, interests: [...interests, later] });
    expect(textOf(document, 'RateType')).toBe('variable');
    expect(shownIds(document)).not.toContain('InitialPeriodAPRC');
  });

  it('names bands as parts of the balance', () => {
    const band = {
      IsForOverdraft: false,
      CollectionValidFrom: null,
      CollectionValidTo: null,
      ValueMessage: null,
    };
    const BandedInterests = [
      { ...band, InterestName: 'a', MinUtilizedAmount: 0, MaxUtilizedAmount: 49_999.99, Value: 4 },
      { ...band, InterestName: 'b', MinUtilizedAmount: 50_000, MaxUtilizedAmount: null, Value: 3 },
    ];
    const interests = [interest({ Type: 'Collection', Values: [], BandedInterests })];
    expect(textOf(documentOf(homeLoan({ interests })), 'RateType')).toBe(
      'different rates for parts of the balance',
    );
  });
});

describe('payments besides level instalments', () => {
  const half = { ...homeLoan().product, ResidualPercent: 50 };

  it.each([
    [{}, /\nand 50,000\.00 EUR on 30 November 2027$/],
    [{ InterestType: 1 }, /\nand 50,000\.00 EUR on 30 November 2027$/],
    [{ GracePeriodPrincipal: 3 }, /^as in the table\nand 50,000\.00 EUR on 30 November 2027$/],
  ])('the residual payment is named with its day: %o', (changes, value) => {
    const request = { loanPeriod: 12, ...changes };
    const sheet = documentOf(homeLoan({ product: half }), request);
    expect(textOf(sheet, 'InstalmentValue')).toMatch(value);
    expect(textOf(sheet, 'InterestOnly')).toContain('still owe 50,000.00 EUR');
    const consumer = documentOf({ product: { ResidualPercent: 50 } }, request);
    expect(textOf(consumer, 'Instalments')).toMatch(/\nand [0-9,.]+ EUR on 30 November 2027\nInterest/);
  });

  it('a residual in the last instalment is owed at the end too (B1)', () => {
    const product = { ...homeLoan().product, PaymentScheduleTypes: ['Balloon'], ResidualPercent: 50 };
    const balloon = documentOf(homeLoan({ product }), { loanPeriod: 12, scheduleType: 'Balloon' });
    expect(textOf(balloon, 'InterestOnly')).toMatch(/^Part of this .* still owe 50,000\.00 EUR/);
  });

  it.each([
    ['InterestOnly', true, /^12 periods \(monthly\)/],
    ['Once', false, /^1 period \(once\)/],
  ])(
    'at a rate of zero a loan of the type %s is interest-only: %s',
    (scheduleType, isInterestOnly, duration) => {
      const product = { ...homeLoan().product, PaymentScheduleTypes: [scheduleType] };
      const interests = [interest({ Type: 'Variable', ...rate(0) })];
      const general = scheduleType === 'Once' ? { PeriodicityType: 'Once' } : {};
      const document = documentOf(homeLoan({ product, interests, general }), {
        loanPeriod: 12,
        scheduleType,
      });
      expect(shownIds(document).includes('InterestOnly')).toBe(isInterestOnly);
      expect(textOf(document, 'Duration')).toMatch(duration);
    },
  );
});

describe('the costs of an offer', () => {
  const home = insurance({ Id: guid(301), InsuranceName: 'Home', InAprc: false });

  it('that its APRC excludes are named apart, in an ESIS only there (Q8)', () => {
    const insurances = [insurance(), home];
    const sheet = documentOf(homeLoan({ insurances }));
    expect(textOf(sheet, 'RegularCosts')).toBe('Life: 3.00 EUR, monthly');
    expect(textOf(sheet, 'ExcludedCosts')).toBe('Home: 3.00 EUR, monthly');
    const consumer = documentOf({ insurances });
    expect(textOf(consumer, 'Insurances')).toBe('Life: 3.00 EUR, monthly\nHome: 3.00 EUR, monthly');
    expect(textOf(consumer, 'RegularCosts')).toBe('none');
    expect(textOf(consumer, 'ExcludedCosts')).toBe('Home: 3.00 EUR, monthly');
    expect(shownIds(documentOf(personal))).not.toContain('ExcludedCosts');
  });

  it.each([
    ['without a price', { Values: [] }],
    ['outside the schedule', { IncludedIntoRepaymentScheduleInstallment: false }],
  ])('are left to the lender beside a compulsory one %s (Q8)', (_, changes) => {
    const document = documentOf({ insurances: [insurance(), { ...home, ...changes }] });
    const points = ['CompulsoryInsurance', 'CostsAtStart', 'Insurances', 'RegularCosts'];
    expect(document.Missing).toEqual(expect.arrayContaining(points));
  });

  it('are left to the lender if a formula of the schedule type gives some, which may follow from excluded ones', () => {
    const { scheduleTypes = [] } = EXAMPLE_CATALOGUE.lending.records;
    const offering = {
      commissions: [commission({ InAprc: false })],
      lending: { scheduleTypes },
      product: { PaymentScheduleTypes: ['LevelTotalWithVat'] },
    };
    const request = {
      scheduleType: 'LevelTotalWithVat',
      installmentValue: new Decimal(9000),
      loanPeriod: 12,
    };
    const outcome = documentOutcome(offering, request);
    expect(outcome).toMatchObject({ warnings: [{ code: 'not-counted', path: 'Commission.Administration' }] });
    const counted = documentOf({ ...offering, commissions: [commission()] }, request);
    expect(counted.Missing).toEqual(expect.arrayContaining(['RegularCosts', 'Insurances']));
    expect(counted.Missing).not.toContain('CostsAtStart');
  });

  it('begin with the first instalment that does not waive them, and are left out if no instalment collects them', () => {
    const commissions = [
      commission({ GracePeriodFee: 3 }),
      commission({ Id: guid(201), Name: 'Waived', GracePeriodFee: 12 }),
      commission({ Id: guid(202), Name: 'Yearly', PeriodicityType: 'Annual' }),
    ];
    const textOver = (loanPeriod: number) =>
      textOf(documentOf({ commissions }, { loanPeriod }), 'RegularCosts');
    expect(textOver(6)).toBe('Administration: 10.00 EUR, monthly, from instalment 4 on');
    expect(textOver(13)).toMatch(/ 4 on\nWaived: .* from instalment 13 on\nYearly: 10.00 EUR, annually$/);
    expect(textOver(3)).toBe('none');
  });
});

test('a document is produced on the day of the request, though it is as of another (T1)', () => {
  const document = documentOf(homeLoan(), { Date: date('2026-10-01') });
  expect(document.Date).toBe('2026-10-01');
  expect(textOf(document, 'Produced')).toMatch(/ on 30 November 2026$/);
});

const codeOf = (text: string) => `U+${text.codePointAt(0)?.toString(16)}`;

describe('texts that cannot be shown', () => {
  it.each(['\u0007', '\u202e', '\t', '\u2066'])('are refused: %j', (sign) => {
    const outcome = documentOutcome(personal, { Entries: [{ Point: 'Redress', Text: `a${sign}b` }] });
    expect(outcome).toMatchObject({ faults: [{ path: 'Entries[0].Text', status: 422 }] });
  });

  it.each(['\u4f60', '\u{1f600}', '\u200b'])('are refused for a PDF, whose fonts lack them: %j', (sign) => {
    const entry = { Entries: [{ Point: 'Redress', Text: `a\n${sign}b` }] };
    const named = insurance({ InsuranceName: sign });
    const fault = {
      path: 'Format',
      status: 422,
      message: expect.stringMatching(codeOf(sign).slice(2)) as string,
    };
    expect(documentOutcome(personal, { ...entry, Format: 'pdf' })).toMatchObject({ faults: [fault] });
    expect(documentOutcome({ insurances: [named] }, { Format: 'PDF' })).toMatchObject({ faults: [fault] });
    expect(documentOf(personal, { ...entry, Format: 'html' }).Missing).not.toContain('Redress');
  });

  it('do not include letters of the fonts, of Europe, or a sign of a currency', () => {
    const Text = 'ăîșțȘȚ ßéñ Ωμέγα Жук “„” – … € ≤';
    const outcome = documentOutcome(personal, { Format: 'pdf', Entries: [{ Point: 'Redress', Text }] });
    expect(outcome.kind).toBe('document');
  });
});

test('of several offers the id that matches nothing is refused, else one that differs (T1)', () => {
  const items = homeLoan().product;
  const item = { Id: guid(10), Name: 'Standard', InterestList: 'INT', CommissionList: 'COM' };
  const base = { StartDate: null, EndDate: null, Filters: [] };
  const InterestsAndCommissions = [item, { ...item, Id: guid(11) }].map((one) => ({ ...base, ...one }));
  const offering = homeLoan({ product: { ...items, InterestsAndCommissions } });
  const fieldOf = (changes: Parameters<typeof documentOutcome>[1]) => {
    const outcome = documentOutcome(offering, changes);
    return outcome.kind === 'refused' ? outcome.faults.map(({ path }) => path) : [];
  };
  expect(fieldOf({})).toEqual(['InterestCommissionItemId']);
  expect(fieldOf({ InterestCommissionItemId: guid(999) })).toEqual(['InterestCommissionItemId']);
  expect(fieldOf({ InterestId: guid(999), InterestCommissionItemId: guid(11) })).toEqual(['InterestId']);
  expect(fieldOf({ InterestId: guid(100) })).toEqual(['InterestCommissionItemId']);
  expect(fieldOf({ InterestCommissionItemId: guid(11) })).toEqual([]);
});
