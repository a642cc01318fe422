import { describe, expect, test } from 'vitest';
import { MESSAGES } from '../../../schemas/catalogue.ts';
import { ACTIONS, findAction } from '../../../shared/contract/actions.ts';
import { calculateRepaymentSchedule } from '../../../shared/lending/calculate-repayment-schedule.ts';
import { parseCalendarDate } from '../../../shared/lending/calendar-date.ts';
import type { RepaymentScheduleRequest } from '../../../shared/lending/repayment-schedule-request.ts';

const NAME = 'PLAT_BP_CalculateRepaymentSchedule';

describe('finding an action', () => {
  test.each([NAME, NAME.toLowerCase(), NAME.toUpperCase(), 'plat_BP_calculateRepaymentSchedule'])(
    '%s is found: names match in any case (E4)',
    (name) => {
      expect(findAction(name)?.name).toBe(NAME);
    },
  );

  test.each(['', 'PLAT_BP_CalculateRepaymentSchedul', '__proto__', 'constructor'])(
    '%j is no action',
    (name) => {
      expect(findAction(name)).toBeUndefined();
    },
  );
});

test('actions and the catalogue of messages name the same types and topics', () => {
  const fromActions = ACTIONS.map(({ requestType, replyType, topic, bulkTopic }) => ({
    type: requestType,
    replyType,
    requestTopic: topic,
    bulkRequestTopic: bulkTopic,
  }));
  const requests = MESSAGES.filter((message) => message.kind === 'request');
  expect(requests).toHaveLength(fromActions.length);
  expect(requests).toEqual(fromActions.map((entry) => expect.objectContaining(entry) as unknown));
});

describe('reading a body', () => {
  const [action] = ACTIONS;
  const [example] = action?.examples ?? [];

  test('the direct and the generic form give the same payload', () => {
    const direct = action?.read(example?.request);
    expect(direct).toMatchObject({ kind: 'valid' });
    expect(
      action?.read({ access_token: 't', user_name: 'u', Data: JSON.stringify(example?.request) }),
    ).toEqual(direct);
  });

  test('warnings about the form come with those about the members', () => {
    const data = { jsonParam: { ...(example?.request['jsonParam'] as object), extra: 1 } };
    expect(action?.read({ Data: data, more: 1 })).toMatchObject({
      warnings: [{ path: 'more' }, { path: 'jsonParam.extra' }],
    });
  });

  test('faults of the input are those of the direct form', () => {
    expect(action?.read({ Data: {} })).toMatchObject({ faults: [{ path: 'jsonParam', code: 'missing' }] });
  });
});

describe('examples', () => {
  const cases = ACTIONS.flatMap((action) => action.examples.map((example) => ({ action, example })));

  test.each(cases)('$example.summary: the answer is what the engine answers', ({ action, example }) => {
    const read = action.read(example.request);
    if (read.kind === 'invalid') throw new Error(JSON.stringify(read.faults));
    expect(read.warnings).toEqual([]);
    const requestDay = parseCalendarDate('2030-06-15');
    if (requestDay === undefined) throw new Error('not a date');
    const outcome = calculateRepaymentSchedule(read.payload as RepaymentScheduleRequest, { requestDay });
    if (outcome.kind === 'refused') throw new Error(JSON.stringify(outcome.faults));
    expect(JSON.parse(action.render(outcome))).toEqual(example.reply);
  });

  test.each(cases)('$example.summary: the answer has the shape that is documented', ({ action, example }) => {
    expect(action.replyShape.safeParse(example.reply)).toMatchObject({ success: true });
  });
});
