import { expect, it } from 'vitest';
import { repaymentScheduleRequest } from '../../../../shared/api/actions/schedule-action.ts';
import { parseJson } from '../../../../shared/platform/parse-json.ts';

it.each([
  ['{"jsonParam":12345678901234567890}', 'jsonParam'],
  ['{"jsonParam":{"Commission":[12345678901234567890]}}', 'jsonParam.Commission[0]'],
])('a number in place of an object is not read, even one of many digits: %s', (text, path) => {
  const body = parseJson(text);
  const read = repaymentScheduleRequest.read(body.kind === 'parsed' ? body.value : undefined);
  expect(read).toMatchObject({ kind: 'invalid' });
  const faults = read.kind === 'invalid' ? read.faults.filter((fault) => fault.path === path) : [];
  expect(faults).toEqual([{ path, code: 'wrong-type', message: 'must be an object, not a number' }]);
});
