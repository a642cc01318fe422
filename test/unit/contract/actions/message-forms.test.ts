import { expect, test } from 'vitest';
import { MESSAGES } from '../../../../schemas/messages.ts';
import { ACTIONS } from '../../../../shared/contract/actions/actions.ts';
import { MESSAGE_FORMS } from '../../../../shared/contract/actions/message-forms.ts';
import type { MessageForms } from '../../../../shared/messaging/codec/json-message.ts';
import { createProblem } from '../../../../shared/platform/problem.ts';

const shapes: MessageForms = MESSAGE_FORMS;

test('every message of the catalogue has a JSON form', () => {
  expect(Object.keys(shapes).toSorted()).toEqual(MESSAGES.map(({ type }) => type).toSorted());
});

test('a JSON request has the body of the HTTP call', () => {
  for (const { requestType, examples } of ACTIONS) {
    const shape = shapes[requestType];
    const read = shape?.parse(examples[0].request);
    expect(read).toMatchObject({ kind: 'valid' });
    expect(read?.kind === 'valid' && JSON.parse(shape?.render(read.payload) ?? '')).toEqual(
      examples[0].request,
    );
  }
});

test('a JSON reply is the answer of the HTTP call, and is not read back with its amounts as binary numbers', () => {
  const reply = shapes['CalculateRepaymentScheduleReply'];
  const schedule = {
    casing: 'lower',
    show: 'dae',
    dae: '7.2239',
    currencyDigits: 2,
    scheduleTypeId: 'x',
    rows: [],
  };
  expect(reply?.render(schedule)).toBe('[{"dae":7.2239}]');
  expect(reply?.parse([{ dae: 7.2239 }])).toMatchObject({ kind: 'invalid', faults: [{ path: 'body' }] });
});

test('a problem is written and read as the document that HTTP callers get', () => {
  const problem = createProblem('invalid-request', {
    detail: 'Amount is wrong.',
    errors: [{ path: 'jsonParam.Amount', code: 'wrong-type', message: 'must be a number, not text' }],
    correlationId: 'c-1',
  });
  const shape = shapes['ProblemReply'];
  const text = shape?.render(problem) ?? '';
  expect(JSON.parse(text)).toEqual(problem);
  expect(shape?.parse(JSON.parse(text))).toEqual({ kind: 'valid', payload: problem, warnings: [] });
  expect(shape?.parse({ title: 5 })).toMatchObject({ kind: 'invalid' });
});
