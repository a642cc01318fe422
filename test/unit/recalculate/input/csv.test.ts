import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { columnSentence, CSV_FIELDS } from '../../../../scripts/recalculate/csv-input.ts';
import { openInput } from '../../../../scripts/recalculate/read-portfolio.ts';
import { type CsvOptions, InputError } from '../../../../scripts/recalculate/input-records.ts';
import { formatCalendarDate } from '../../../../shared/lending/dates/calendar-date.ts';
import {
  areColumns,
  lineOfCells,
  MAX_LINE_BYTES,
  readColumns,
} from '../../../../shared/portfolio/csv-columns.ts';
import type { Notation } from '../../../../shared/portfolio/csv-notation.ts';
import {
  contractLine,
  outline,
  PLAIN_LOAN,
  readChunks,
  readRecords,
} from '../../../support/builders/portfolio-lines.ts';

const NAMES = Object.keys(PLAIN_LOAN);
const CELLS = Object.values(PLAIN_LOAN).join(',');
const HEADER = `id,${NAMES.join(',')}`;

const quoted = (value: unknown) => `"${JSON.stringify(value).replaceAll('"', '""')}"`;

const faultsOf = (header: string) => {
  const columns = readColumns(header.split(','), CSV_FIELDS);
  return areColumns(columns) ? [] : columns.map(columnSentence);
};

const valuesOf = (name: string, notation: Notation, ...cells: string[]) => {
  const columns = readColumns(['id', name], CSV_FIELDS);
  if (!areColumns(columns)) throw new Error(columns.map(columnSentence).join());
  return cells.map((cell) => {
    const { value, faults = [] } = lineOfCells(columns, ['id', cell], notation) ?? {};
    return faults[0]?.code ?? (value?.['jsonParam'] as Record<string, unknown> | undefined)?.[name];
  });
};

const NO_NOTATION: Notation = {};
describe('a portfolio in CSV', () => {
  it('returns the same record as NDJSON for any delimiter, line ending and casing of the names', async () => {
    const expected = [{ ...(await readRecords(contractLine('c-1')))[0], line: 2 }];
    for (const delimiter of [',', ';', '\t']) {
      const header = ['\uFEFFID', ...NAMES.map((name) => ` ${name.toUpperCase()} `)].join(delimiter);
      const cells = ['"c-1"', ...Object.values(PLAIN_LOAN)].join(delimiter);
      expect(await readRecords(`${header}\r\n${cells}\r\n`, 'csv')).toEqual(expected);
    }
  });

  it('reads lists, the request and the previous schedule as JSON in a cell', async () => {
    const schedule = { Installments: [] };
    const whole = `id,schedule,jsonParam\nc,${quoted(schedule)},${quoted({ ...PLAIN_LOAN, EarlyRepayments: [] })}`;
    const [read] = await readRecords(whole, 'csv');
    expect(read).toMatchObject({ kind: 'contract', former: schedule, rows: 12 });
    const ranges = [{ InterestRate: 5, FromInstNo: 1, ToInstNo: 12 }];
    const text = `${HEADER},multipleinterestrates\nc,${CELLS},${quoted(ranges)}`;
    const request = { MultipleInterestRates: [{ FromInstNo: 1 }] };
    expect((await readRecords(text, 'csv'))[0]).toMatchObject({ kind: 'contract', request });
  });

  it('reports every invalid cell together with other faults', async () => {
    const others = 'InstallmentsNo,ScheduleType,PeriodicityType,InstallmentDay,InterestPercent';
    const cells = 'c,{,"[1","1 000.5x",12,EqualInstallments,Monthly,1,5';
    const [record] = await readRecords(`id,schedule,Commission,Amount,${others}\n${cells}`, 'csv');
    const message = 'must be a number such as 1234.50 or 1,234.50';
    expect(record?.kind === 'refused' && record.problem.errors).toMatchObject([
      { path: 'schedule', code: 'invalid-json' },
      { path: 'jsonParam.Commission', code: 'invalid-json' },
      { path: 'jsonParam.Amount', code: 'wrong-type', message },
    ]);
  });

  it('refuses a record with a wrong number of cells or invalid UTF-8, and continues', async () => {
    const text = [HEADER, `a,${CELLS},1`, 'b,1', `g,${CELLS}`, `\u00FF,${CELLS}`, `h,${CELLS}`].join('\n');
    const records = await readRecords(Buffer.from(text, 'latin1'), 'csv');
    expect(outline(records)).toEqual([
      '2: invalid-request line malformed-csv',
      '3: invalid-request line malformed-csv',
      '4: g',
      '5: invalid-request line not-utf8',
      '6: h',
    ]);
    const detail = 'The line has 2 cells; must have 8, one for each column.';
    expect(records[1]).toMatchObject({ problem: { detail } });
  });

  it.each([
    [
      'line breaks, delimiters and quotes in quoted cells',
      [`"a\nb, ""c""",${CELLS}`, '', `d,${CELLS}`, ',,,,,,,', `"",${CELLS}`].join('\n'),
      ['2: a\nb, "c"', '5: d', '7: invalid-request id missing'],
    ],
    ['blank lines in quoted cells', `"a\n\nb",${CELLS}`, ['2: a\n\nb']],
    [
      'line breaks of Windows in cells',
      [`"a\r\nb",${CELLS}`, '', `"c\nd",${CELLS}`, `e,${CELLS}`].join('\r\n'),
      ['2: a\r\nb', '5: c\nd', '7: e'],
    ],
  ])('reads %s, and counts lines as an editor does', async (_, text, lines) => {
    expect(outline(await readRecords(`${HEADER}\n${text}`, 'csv'))).toEqual(lines);
  });

  it('ignores blank lines between records, also in the digest', async () => {
    const records = [HEADER, `a,${CELLS}`, `b,${CELLS}`];
    const digests = async (separator: string) =>
      (await readChunks(records.join(separator), { format: 'csv' })).map(({ digest }) => digest);
    expect(await digests('\n\n\n')).toEqual(await digests('\n'));
  });

  it('ends after the records before a misplaced, unclosed or endless quote, which its message names', async () => {
    const message = 'the record after line 3 has a misplaced quote, or one that is not closed within 1 MiB';
    for (const cell of ['c"d', '"e"f', '"open', `"${'x'.repeat(MAX_LINE_BYTES)}"`]) {
      const text = [HEADER, `a,${CELLS}`, `b,${CELLS}`, `${cell},${CELLS}`, `f,${CELLS}`].join('\n');
      await expect(readRecords(text, 'csv')).rejects.toThrow(new InputError(message));
    }
  });
});

describe('the header line of CSV', () => {
  it('accepts every field of the request case-insensitively, but not two that differ only in case', () => {
    const names = CSV_FIELDS.map(({ name }) => name);
    expect(names).toContain('installmentValue');
    expect(new Set(names.map((name) => name.toLowerCase())).size).toBe(names.length);
    const columns = readColumns(['id', ...names.map((name) => name.toUpperCase())], CSV_FIELDS);
    expect(columns).toMatchObject(['id', ...names].map((name) => ({ name })));
  });

  it('reports all its faults together', () => {
    const faults = faultsOf('Ammount,Rate,,schedule,SCHEDULE,Amount,jsonParam');
    expect(faults).toEqual([
      expect.stringMatching(
        /^unknown columns: "Ammount", "Rate"; --ignore NAME leaves a column out; known columns \(case-insensitive\) are id, jsonParam, schedule, ScheduleType, /,
      ),
      'schedule occurs more than once',
      'id is missing; there must be a column with the ids of the contracts',
      'jsonParam contains the whole request; it must not be combined with columns for the fields of the request',
    ]);
    expect(faultsOf('id,schedule')).toEqual([
      'no column is a field of the request; add such columns, or the column jsonParam',
    ]);
  });

  it('stops reading if it is invalid, missing or unreadable', async () => {
    for (const text of ['', '\n\n', 'a,b\n', 'id,Amount"\n', contractLine('c')]) {
      await expect(readRecords(text, 'csv')).rejects.toThrow(InputError);
    }
    await expect(readRecords(Buffer.from([0x69, 0x64, 0xff, 0x0a]), 'csv')).rejects.toThrow(/UTF-8/);
  });
});

describe('the cells of a record', () => {
  it('are numbers in the notation of the file, otherwise faults', () => {
    const fault = 'wrong-type';
    const cells = ['1234.50', ' -1e3 ', '0', '007', '+1', '1,5', '.5', '0x10', 'NaN', ' '];
    const values = [1234.5, -1000, 0, fault, fault, 1.5, fault, fault, fault, undefined];
    expect(valuesOf('Amount', NO_NOTATION, ...cells)).toEqual(values);
    const withComma = valuesOf(
      'Amount',
      { decimal: ',' },
      '1234,50',
      '1.234,5',
      '0,125',
      '1E3',
      '1.5',
      '1E+3,5',
    );
    expect(withComma).toEqual([1234.5, 1234.5, 0.125, 1000, fault, fault]);
  });

  it('keep all digits of a number', () => {
    const cells = ['9999999.9999999999', '1000.10000000000000'];
    expect(JSON.stringify(valuesOf('Amount', NO_NOTATION, ...cells))).toBe('[9999999.9999999999,1000.1]');
  });

  it('may be flags as words or digits, trimmed dates, and unchanged strings', () => {
    const flags = valuesOf('HolidayShift', NO_NOTATION, 'TRUE', 'false', '1', '0', 'yes');
    expect(flags).toEqual([true, false, 1, 0, 'yes']);
    expect(valuesOf('InterestCapitalization', NO_NOTATION, 'True', '1')).toEqual([true, 1]);
    expect(valuesOf('FirstDueDate', NO_NOTATION, ' 2024-01-31 ')).toEqual(['2024-01-31']);
    expect(valuesOf('ScheduleType', NO_NOTATION, ' 1 ', '')).toEqual([' 1 ', undefined]);
  });
});

const exported = (id: string, end: string) => `${id};${CELLS.replaceAll(',', ';')};restanță;${end}`;

it('an export of a spreadsheet is refused where a column without a name has a value, or a record a cell too many', async () => {
  const header = `${HEADER.replaceAll(',', ';')};Observații;`;
  const records = [exported('c-1', 'x'), exported('c-2', ';'), exported('c-3', ';x')];
  const damaged = [header, ...records, ';;;;'].join('\r\n');
  await expect(readRecords(damaged, 'csv')).rejects.toThrow(/unknown columns: "Observații"; --ignore NAME/);
  expect(outline(await readRecords(damaged, 'csv', { ignore: ['Observații'] }))).toEqual([
    '2: invalid-request line malformed-csv',
    '3: c-2',
    '4: invalid-request line malformed-csv',
  ]);
});

async function amountsAndDates(rows: readonly string[], options: CsvOptions = {}) {
  const others = 'ScheduleType;InstallmentsNo;PeriodicityType;InstallmentDay';
  const lines = rows.map((cells, index) => `c-${index + 2};${cells};EqualInstallments;12;Monthly;15`);
  try {
    const header = `id;InterestPercent;Amount;ActivationDate;${others}`;
    const records = await readRecords([header, ...lines].join('\r\n'), 'csv', options);
    return records.map((record) => {
      if (record.kind === 'refused') return record.problem.errors?.[0]?.code ?? record.problem.code;
      const { Amount, ActivationDate } = record.request;
      return `${String(Amount)} ${ActivationDate === undefined ? '' : formatCalendarDate(ActivationDate)}`;
    });
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    return error.message;
  }
}

const partOf = (read: string | readonly string[], at: number) =>
  typeof read === 'string' ? read : read.map((text) => text.split(' ').at(at));
const amountsWith = async (rate: string, ...amounts: string[]) =>
  partOf(await amountsAndDates(amounts.map((amount) => `${rate};"${amount}";2026-06-24`)), 0);
const datesOf = async (...dates: string[]) =>
  partOf(await amountsAndDates(dates.map((text) => `7;1;${text}`)), -1);

describe('the notation of a CSV', () => {
  it.each([
    ['1000,50', '1000.5'],
    ['0,125', '0.125'],
    ['1.000,50', '1000.5'],
    ['1.234.567', '1234567'],
    ['1,000.50', '1000.5'],
    ['1,234,567', '1234567'],
    ['-1', '-1'],
    ['1 234,56', '1234.56'],
    ['1\u00A0234,56', '1234.56'],
    ['1\u202F234', '1234'],
    ["1'234.56", '1234.56'],
    ['1’234', '1234'],
    ['1.234567', '1.234567'],
    ['1.5e3', '1500'],
  ])('reads %j by itself', async (amount, expected) => {
    expect(await amountsWith('7', amount)).toEqual([expected]);
  });

  it.each(['1.000', '1,000', '-999.999'])('is refused with the line for %j', async (amount) => {
    expect(await amountsWith('7', '5', amount)).toBe(
      `"${amount}" (line 3, column Amount) has two readings; name its decimal mark with --decimal point or --decimal comma`,
    );
  });

  it('has no thousands in a rate', async () => {
    expect(await amountsWith('7.125', '1000,50')).toEqual(['1000.5']);
    expect(await amountsWith('7,125', '1000,50')).toEqual(['1000.5']);
    expect(valuesOf('InterestPercent', NO_NOTATION, '7.125', '7,125')).toEqual([7.125, 7.125]);
    const comma = valuesOf('InterestPercent', { decimal: ',' }, '7,125', '7.125', '7.5');
    expect(comma).toEqual([7.125, 'wrong-type', 'wrong-type']);
    const point = valuesOf('CapitalPercent', { decimal: '.' }, '7.125', '7,125', '7,5');
    expect(point).toEqual([7.125, 'wrong-type', 'wrong-type']);
  });

  it('is what the options name, whatever the values', async () => {
    const rows = ['7;1.000;03/04/2026', '7;1000;13/04/2026'];
    const european = await amountsAndDates(rows, { decimal: ',', dates: 'day-first' });
    expect(european).toEqual(['1000 2026-04-03', '1000 2026-04-13']);
    const american = await amountsAndDates(rows, { decimal: '.', dates: 'month-first' });
    expect(american).toEqual(['1 2026-03-04', 'invalid-date']);
  });

  it.each([
    ['24.06.2026', '2026-06-24'],
    ['1.7.2026', '2026-07-01'],
    ['2026-06-24', '2026-06-24'],
    ['24.06.2026 00:00:00', '2026-06-24'],
    ['2026/6/24', '2026-06-24'],
    ['13/04/2026', '2026-04-13'],
    ['04/13/2026', '2026-04-13'],
    ['05/05/2026', '2026-05-05'],
  ])('reads the date %s by itself', async (text, day) => {
    expect(await datesOf(text)).toEqual([day]);
  });

  it.each(['03/04/2026', '03-04-2026'])('is refused with the line for %s', async (text) => {
    expect(await datesOf('05/05/2026', text)).toBe(
      `"${text}" (line 3, column ActivationDate) has two readings; name the order of day and month with --dates day-first or --dates month-first`,
    );
  });

  it('never has dates as the numbers of Excel, two-digit years or days that do not exist', async () => {
    const dates = await datesOf('46197', '24.06.26', '31.02.2026', '06.24.2026');
    expect(dates).toEqual(Array.from({ length: 4 }, () => 'invalid-date'));
  });
});

it('ids that occur again, as text or as numbers, are reported with both lines', async () => {
  const text = [contractLine(7), contractLine('b'), contractLine('7')].join('\n');
  const stdin = Readable.from([Buffer.from(text)]);
  const input = await openInput({ file: '-', format: 'ndjson', maxContracts: 2, stdin });
  for await (const _ of input.records());
  expect(input.duplicateIds()).toEqual({ count: 1, listed: [{ id: '7', line: 3, firstLine: 1 }] });
});
