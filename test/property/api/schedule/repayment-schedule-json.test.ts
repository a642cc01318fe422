import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { repaymentScheduleRequest } from '../../../../shared/api/actions/schedule-action.ts';

const NAMES = [
  'Amount',
  'InterestPercent',
  'ActivationDate',
  'IsLocked',
  'Commission',
  'Insurance',
  'EarlyRepayments',
];

const FAULT_RULES = {
  path: /^(body|jsonParam(\.[A-Za-z]+(\[\d+\])?)*)$/,
  message: /^(must |is missing; |is too large )/,
};
/** The path of an unknown field contains its name, but the message does not. */
const UNKNOWN_RULES = {
  path: /^/,
  message: /^is not known here and has no effect(; did you mean [A-Za-z]+\?)?$/,
};

test('any JSON yields either a payload or faults that do not contain its values', () => {
  const anyFields = fc.dictionary(fc.constantFrom(...NAMES, '__proto__', 'x'), fc.jsonValue());
  const body = fc.oneof(fc.jsonValue(), fc.record({ jsonParam: fc.oneof(fc.jsonValue(), anyFields) }));
  fc.assert(
    fc.property(body, (sent) => {
      const read = repaymentScheduleRequest.read(sent);
      if (read.kind === 'valid') return;
      expect(read.faults.length).toBeGreaterThan(0);
      for (const { path, code, message } of read.faults) {
        const rules = code === 'unknown-member' ? UNKNOWN_RULES : FAULT_RULES;
        expect(path).toMatch(rules.path);
        expect(message).toMatch(rules.message);
      }
    }),
  );
});
