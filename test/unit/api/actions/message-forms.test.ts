import { expect, test } from 'vitest';
import { MESSAGES } from '../../../../schemas/messages.ts';
import { ACTIONS } from '../../../../shared/api/actions/actions.ts';
import { MESSAGE_FORMS } from '../../../../shared/api/actions/message-forms.ts';
import type { MessageForms } from '../../../../shared/messaging/codec/json-message.ts';
import { createProblem } from '../../../../shared/platform/problem.ts';

const forms: MessageForms = MESSAGE_FORMS;

test('every message type has a JSON form, which for a request is the body of the HTTP call', () => {
  const requests = ACTIONS.flatMap(({ requestType, examples }) =>
    examples.map(({ request }) => ({ form: forms[requestType], request })),
  );
  for (const { form, request } of requests) {
    const read = form?.parse(request);
    expect(read).toMatchObject({ kind: 'valid' });
    const text = read?.kind === 'valid' ? form?.render(read.payload) : undefined;
    const written = JSON.parse(text ?? '') as object;
    // Null and an empty list are left out.
    expect(request).toMatchObject(written);
    expect(form?.parse(written)).toEqual(read);
  }
  expect(Object.keys(forms).toSorted()).toEqual(MESSAGES.map(({ type }) => type).toSorted());
});

test('a reply and an error reply are written as the answers of HTTP; only the latter can be read', () => {
  const reply = forms['CalculateRepaymentScheduleReply'];
  const only = { casing: 'lower', show: 'dae', dae: '7.2239' };
  const schedule = { ...only, currencyDigits: 2, scheduleTypeId: 'x', rows: [] };
  expect(reply?.render(schedule)).toBe('[{"dae":7.2239}]');
  expect(reply?.parse([{ dae: 7.2239 }])).toMatchObject({ kind: 'invalid', faults: [{ path: 'body' }] });
  const problem = createProblem('invalid-request', {
    detail: 'Amount is wrong.',
    errors: [{ path: 'jsonParam.Amount', code: 'wrong-type', message: 'must be a number, not text' }],
    correlationId: 'c-1',
  });
  const form = forms['ProblemReply'];
  const text = form?.render(problem) ?? '';
  expect(JSON.parse(text)).toEqual(problem);
  expect(form?.parse(JSON.parse(text))).toEqual({ kind: 'valid', payload: problem, warnings: [] });
  expect(form?.parse({ title: 5 })).toMatchObject({ kind: 'invalid' });
});
