import { describe, expect, it } from 'vitest';
import { repaymentScheduleRequest } from '../../../../shared/api/actions/schedule-action.ts';
import { MAX_LINE_BYTES } from '../../../../shared/portfolio/csv-columns.ts';
import { contractLine, outline, PLAIN_LOAN, readRecords } from '../../../support/builders/portfolio-lines.ts';

const padded = (bytes: number) => contractLine('p').padEnd(bytes, ' ');

describe('a portfolio in NDJSON', () => {
  it('returns the same request as the same HTTP body, with id, line and previous schedule', async () => {
    const schedule = { Installments: [{ InstallmentNo: 1 }] };
    const line = JSON.stringify({ id: 'c-1', jsonParam: PLAIN_LOAN, schedule });
    const [record] = await readRecords(`${line}\n`);
    const read = repaymentScheduleRequest.read({ jsonParam: PLAIN_LOAN });
    expect(read.kind).toBe('valid');
    expect(record).toEqual({
      kind: 'contract',
      line: 1,
      id: 'c-1',
      request: read.kind === 'valid' ? read.payload : undefined,
      rows: 12,
      warnings: [],
      former: schedule,
    });
  });

  it('accepts both line endings, a byte order mark, blank lines and a last line without line ending, and counts the lines', async () => {
    const text = `\uFEFF${contractLine('a')}\r\n\n  \t\r\n${contractLine(7)}\n${contractLine('c')}`;
    expect(outline(await readRecords(text))).toEqual(['1: a', '4: 7', '5: c']);
    expect(await readRecords('')).toEqual([]);
    expect(await readRecords('\n\r\n \n')).toEqual([]);
  });

  it('refuses a line that is not JSON, too deeply nested, not UTF-8 or repeats a member, and continues', async () => {
    const lines = [
      '{"id": "x", "jsonParam": {"Amount": 12,}}',
      `{"id": "deep", "jsonParam": ${'['.repeat(40)}${']'.repeat(40)}}`,
      '{"id": "\u00C3("}',
      '["a list"]',
      '{"id": "twice", "jsonParam": {"Amount": 1, "Amount": 2}}',
      contractLine('good'),
    ];
    const records = await readRecords(Buffer.from(lines.join('\n'), 'latin1'));
    expect(outline(records)).toEqual([
      '1: malformed-json line malformed-json',
      '2: malformed-json line too-deep',
      '3: malformed-json line not-utf8',
      '4: invalid-request line wrong-type',
      '5: invalid-request jsonParam.Amount repeated-member',
      '6: good',
    ]);
    const detail = 'The line is not valid JSON (at character 39).';
    expect(records[0]).toMatchObject({ problem: { status: 400, detail } });
  });

  it('refuses a line of more than 1 MiB without its line ending, and accepts one of exactly 1 MiB', async () => {
    const text = [padded(MAX_LINE_BYTES), padded(MAX_LINE_BYTES + 1), contractLine('next')].join('\r\n');
    expect(outline(await readRecords(text))).toEqual(['1: p', '2: body-too-large line too-long', '3: next']);
  });

  it('reports all faults together, of the id and of the request', async () => {
    const [record] = await readRecords(contractLine(undefined, { Amount: '1', InstallmentDay: 1.5 }));
    const message = 'is missing; must be text of 1 to 200 characters or a whole number';
    const errors = [
      { path: 'id', code: 'missing', message },
      { path: 'jsonParam.Amount', code: 'wrong-type' },
      { path: 'jsonParam.InstallmentDay', code: 'out-of-range' },
    ];
    const problem = { code: 'invalid-request', errors };
    expect(record).toMatchObject({ kind: 'refused', line: 1, id: undefined, problem });
  });

  it('refuses a line with 422 if its only fault is a number that cannot be calculated with', async () => {
    const [record] = await readRecords(contractLine('c', { InstallmentDay: 1.5 }));
    const problem = { code: 'not-computable', status: 422 };
    expect(record).toMatchObject({ kind: 'refused', id: 'c', problem });
  });

  it('refuses an id that could equal another one after parsing', async () => {
    const ids = ['', 'x'.repeat(201), 1.5, 9_007_199_254_740_992, true, null, ['a']];
    const good = ['x'.repeat(200), 0, -3, 9_007_199_254_740_991];
    const records = await readRecords([...ids, ...good].map((id) => contractLine(id)).join('\n'));
    expect(outline(records.slice(0, ids.length))).toEqual([
      '1: invalid-request id empty',
      '2: invalid-request id too-long',
      '3: invalid-request id out-of-range',
      '4: invalid-request id out-of-range',
      '5: invalid-request id wrong-type',
      '6: invalid-request id missing',
      '7: invalid-request id wrong-type',
    ]);
    expect(records.slice(ids.length).map(({ id }) => id)).toEqual(good);
  });

  it('warns of ignored fields of the request and of the line', async () => {
    const line = { id: 1, jsonParam: { ...PLAIN_LOAN, Ammount: 1 }, shedule: {}, schedule: null };
    const [record] = await readRecords(JSON.stringify(line));
    const warnings = ['jsonParam.Ammount', 'shedule'].map((path) => ({ code: 'unknown-member', path }));
    expect(record).toMatchObject({ kind: 'contract', former: undefined, warnings });
  });

  it('limits the cost of a request to that of the longest schedule, even if it will be refused', async () => {
    const lines = [-5, 0, 2_000_000].map((no) => contractLine(no, { InstallmentsNo: no }));
    const records = await readRecords(lines.join('\n'));
    expect(records.map((record) => record.kind === 'contract' && record.rows)).toEqual([1, 1, 1_200]);
  });
});
