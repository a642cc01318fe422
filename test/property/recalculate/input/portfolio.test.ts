import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { CSV_FIELDS } from '../../../../scripts/recalculate/csv-input.ts';
import type { InputFormat } from '../../../../scripts/recalculate/input-records.ts';
import { repaymentScheduleRequest } from '../../../../shared/api/actions/schedule-action.ts';
import {
  contractLine,
  cutAt,
  PLAIN_LOAN,
  readChunks,
  readRecords,
} from '../../../support/builders/portfolio-lines.ts';
import { randomRequest } from '../../../support/random/request.ts';

/** Characters that are special in one of the formats or are encoded in several bytes. */
const text = fc.string({
  unit: fc.constantFrom('a', ' ', '"', ',', ';', '\t', '\n', '\r', 'ă', '€', '😀', '\uFEFF'),
});
const lineEnd = fc.constantFrom('\n', '\r\n');

const ndjsonLine = fc.oneof(
  fc
    .tuple(text, fc.integer({ min: -1, max: 1_300 }))
    .map(([id, rows]) => contractLine(id, { InstallmentsNo: rows })),
  fc.constantFrom('', '  ', '{"id":', '[]', '{}', '"ă"'),
);
const csvCells = Object.values(PLAIN_LOAN).join(',');
const csvLine = fc.oneof(
  fc.constantFrom(`plain,${csvCells}`, `"quo,""ted",${csvCells}`, `"two\nlines",${csvCells}`),
  fc.constantFrom('', 'too,few', ',,,', `"ă\r\n€",${csvCells}`),
);
const HEADER = `id,${Object.keys(PLAIN_LOAN).join(',')}`;

const QUOTE = 0x22;

/** The bytes of a portfolio, one of them replaced so that it is not UTF-8. Around quotes that would end the reading. */
function portfolio(lines: readonly string[], end: string, damagedAt: number): Buffer {
  const bytes = Buffer.from(lines.join(end));
  const isDamaged = damagedAt >= HEADER.length + 2 && damagedAt < bytes.length;
  if (isDamaged && !bytes.subarray(damagedAt - 1, damagedAt + 2).includes(QUOTE)) bytes[damagedAt] = 0xff;
  return bytes;
}

test.each<[InputFormat, fc.Arbitrary<string>, readonly string[]]>([
  ['ndjson', ndjsonLine, ['{"id":"the first"}']],
  ['csv', csvLine, [HEADER]],
])(
  '%s returns the same chunks and digests for any division of the bytes, and resumes after each chunk',
  async (format, line, start) => {
    const cut = fc.array(fc.nat(2_000), { maxLength: 12 });
    const portfolios = fc.tuple(fc.array(line, { maxLength: 12 }), lineEnd, fc.nat(3_000));
    await fc.assert(
      fc.asyncProperty(
        portfolios,
        cut,
        fc.integer({ min: 1, max: 4 }),
        async ([lines, end, damagedAt], cuts, maxContracts) => {
          const bytes = portfolio([...start, ...lines], end, damagedAt);
          const options = { format, maxContracts };
          const whole = (await readChunks(bytes, options)).map(withoutBytesRead);
          const places = cuts.map((place) => Math.min(place, bytes.length));
          expect((await readChunks(cutAt(bytes, places), options)).map(withoutBytesRead)).toEqual(whole);
          for (const [index, { lastLine, digest }] of whole.entries()) {
            const rest = await readChunks(cutAt(bytes, places), { ...options, skip: { lastLine, digest } });
            expect(rest.map(withoutBytesRead)).toEqual(whole.slice(index + 1));
          }
        },
      ),
      { numRuns: 60 },
    );
  },
);

function withoutBytesRead({
  bytesRead: _bytesRead,
  ...chunk
}: Awaited<ReturnType<typeof readChunks>>[number]) {
  return chunk;
}

const FIELD_NAMES = CSV_FIELDS.map(({ name }) => name);

test('a portfolio returns the same requests in CSV and NDJSON', async () => {
  const contract = fc.tuple(
    randomRequest,
    text.filter((id) => id !== ''),
    text.filter((name) => name !== ''),
  );
  const portfolios = fc.array(contract, { minLength: 1, maxLength: 5 });
  await fc.assert(
    fc.asyncProperty(
      portfolios,
      fc.constantFrom(',', ';', '\t'),
      lineEnd,
      async (contracts, delimiter, end) => {
        const lines = contracts.map(([request, id, name]) => {
          const sent = JSON.parse(repaymentScheduleRequest.render(request)) as {
            jsonParam: Record<string, unknown>;
          };
          return { id, jsonParam: { ...sent.jsonParam, HolidayCountry: name }, schedule: { Note: name } };
        });
        const header = ['id', 'schedule', ...FIELD_NAMES].join(delimiter);
        const records = lines.map(({ id, jsonParam, schedule }) => {
          const members = FIELD_NAMES.map((name) => cellOf((jsonParam as Record<string, unknown>)[name]));
          return [cellOf(id), cellOf(schedule), ...members].join(delimiter);
        });
        const fromCsv = await readRecords([header, ...records].join(end), 'csv', { decimal: '.' });
        const fromNdjson = await readRecords(lines.map((line) => JSON.stringify(line)).join(end));
        expect(fromCsv.map((record) => ({ ...record, line: 0 }))).toEqual(
          fromNdjson.map((record) => ({ ...record, line: 0 })),
        );
      },
    ),
    { numRuns: 100 },
  );
});

function cellOf(value: unknown): string {
  if (value === undefined) return '';
  const cell = typeof value === 'string' ? value : JSON.stringify(value);
  return /["\s,;\t\uFEFF]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
