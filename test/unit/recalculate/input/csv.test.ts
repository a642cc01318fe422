import { describe, expect, it } from 'vitest';
import { lineOfCells, FIELD_NAMES, readHeader } from '../../../../scripts/recalculate/input/csv-columns.ts';
import { InputError } from '../../../../scripts/recalculate/input/records.ts';
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
const csv = (...records: string[]) => readRecords([HEADER, ...records].join('\n'), 'csv');

const quoted = (value: unknown) => `"${JSON.stringify(value).replaceAll('"', '""')}"`;

const faultsOf = (header: string) => {
  const reading = readHeader(header.split(','));
  return reading.kind === 'faults' ? reading.faults : [];
};

const valuesOf = (name: string, ...cells: string[]) => {
  const reading = readHeader(['id', name]);
  const columns = reading.kind === 'columns' ? reading.columns : [];
  return cells.map(
    (cell) => (lineOfCells(columns, ['', cell]).value['jsonParam'] as Record<string, unknown>)[name],
  );
};

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
    expect((await readRecords(whole, 'csv'))[0]).toMatchObject({
      kind: 'contract',
      former: schedule,
      rows: 12,
    });
    const ranges = [{ InterestRate: 5, FromInstNo: 1, ToInstNo: 12 }];
    const [record] = await readRecords(
      `${HEADER},multipleinterestrates\nc,${CELLS},${quoted(ranges)}`,
      'csv',
    );
    expect(record?.kind === 'contract' && record.request.MultipleInterestRates).toMatchObject([
      { FromInstNo: 1 },
    ]);
  });

  it('reports every invalid cell together with other faults', async () => {
    const header =
      'id,schedule,Commission,Amount,InstallmentsNo,ScheduleType,PeriodicityType,InstallmentDay,InterestPercent';
    const [record] = await readRecords(
      `${header}\nc,{,[1,"1 000,50",12,EqualInstallments,Monthly,1,5`.replace('[1', '"[1"'),
      'csv',
    );
    expect(record?.kind === 'refused' && record.problem.errors).toMatchObject([
      { path: 'schedule', code: 'invalid-json' },
      { path: 'jsonParam.Commission', code: 'invalid-json' },
      { path: 'jsonParam.Amount', code: 'wrong-type', message: 'must be a number, not text' },
    ]);
  });

  it('refuses a record with a wrong number of cells, stray quotes or invalid UTF-8, and continues', async () => {
    const text = [HEADER, `a,${CELLS},1`, 'b,1', `c"d,${CELLS}`, `"e"f,${CELLS}`, `g,${CELLS}`].join('\n');
    const damaged = Buffer.concat([
      Buffer.from(`${text}\n`),
      Buffer.from([0xff]),
      Buffer.from(`,${CELLS}\nh,${CELLS}`),
    ]);
    const records = await readRecords(damaged, 'csv');
    expect(outline(records)).toEqual([
      '2: invalid-request line malformed-csv',
      '3: invalid-request line malformed-csv',
      '4: invalid-request line malformed-csv',
      '5: invalid-request line malformed-csv',
      '6: g',
      '7: invalid-request line not-utf8',
      '8: h',
    ]);
    expect(records[1]).toMatchObject({
      problem: { detail: 'The line has 2 cells; must have 8, one for each column.' },
    });
  });

  it('reads line breaks, delimiters and quotes in quoted cells, and counts the lines', async () => {
    const records = await csv(`"a\nb, ""c""",${CELLS}`, '', `d,${CELLS}`, ',,,,,,,', `"",${CELLS}`);
    expect(outline(records)).toEqual(['2: a\nb, "c"', '5: d', '7: invalid-request id missing']);
  });

  it('keeps blank lines in quoted cells, and ignores them between records and in the digest', async () => {
    expect(outline(await csv(`"a\n\nb",${CELLS}`))).toEqual(['2: a\n\nb']);
    const records = [HEADER, `a,${CELLS}`, `b,${CELLS}`];
    const digests = async (separator: string) =>
      (await readChunks(records.join(separator), { format: 'csv' })).map(({ digest }) => digest);
    expect(await digests('\n\n\n')).toEqual(await digests('\n'));
  });

  it('refuses only one line because of an unclosed quote', async () => {
    const good = Array.from({ length: 3 }, (_, index) => `g-${index},${CELLS}`);
    expect(outline(await csv(...good, `"open,${CELLS}`, ...good, `"quoted",${CELLS}`))).toEqual([
      '2: g-0',
      '3: g-1',
      '4: g-2',
      '5: invalid-request line malformed-csv',
      '6: g-0',
      '7: g-1',
      '8: g-2',
      '9: quoted',
    ]);
    expect(outline(await csv(`"open,${CELLS}`, ...good)).slice(1)).toEqual(['3: g-0', '4: g-1', '5: g-2']);
  });
});

describe('the header line of CSV', () => {
  it('accepts every field of the request case-insensitively, but not two that differ only in case', () => {
    expect(FIELD_NAMES).toContain('installmentValue');
    expect(new Set(FIELD_NAMES.map((name) => name.toLowerCase())).size).toBe(FIELD_NAMES.length);
    expect(readHeader(['id', ...FIELD_NAMES.map((name) => name.toUpperCase())])).toMatchObject({
      columns: ['id', ...FIELD_NAMES].map((name) => ({ name })),
    });
  });

  it('reports all its faults together', () => {
    const faults = faultsOf('Ammount,Rate,,schedule,SCHEDULE,Amount,jsonParam');
    expect(faults).toEqual([
      'column 3 has no name',
      expect.stringMatching(
        /^not known: "Ammount" \(did you mean Amount\?\), "Rate"; known columns \(case-insensitive\) are id, jsonParam, schedule, ScheduleType, /,
      ),
      'schedule occurs more than once',
      'id is missing; there must be a column with the ids of the contracts',
      'jsonParam contains the whole request; it must not be combined with columns for the fields of the request',
    ]);
    expect(faultsOf('id,schedule')).toEqual([
      'there is no column for any field of the request; there must be such columns, or the column jsonParam',
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
  it('are numbers in JSON notation, otherwise strings', () => {
    expect(
      valuesOf('Amount', '1234.50', ' -1e3 ', '0', '007', '+1', '1,5', '.5', '0x10', 'NaN', ' '),
    ).toEqual([1234.5, -1000, 0, '007', '+1', '1,5', '.5', '0x10', 'NaN', undefined]);
  });

  it('may be flags as words or digits, trimmed dates, and unchanged strings', () => {
    expect(valuesOf('HolidayShift', 'TRUE', 'false', '1', '0', 'yes')).toEqual([true, false, 1, 0, 'yes']);
    expect(valuesOf('InterestCapitalization', 'True', '1')).toEqual([true, 1]);
    expect(valuesOf('FirstDueDate', ' 2024-01-31 ')).toEqual(['2024-01-31']);
    expect(valuesOf('ScheduleType', ' 1 ', '')).toEqual([' 1 ', undefined]);
  });
});
