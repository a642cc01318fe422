import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { ACTIONS } from '../../../../shared/api/actions/actions.ts';
import notification from '../../../../shared/api/notification/examples.json' with { type: 'json' };
import { emailReader } from '../../../../shared/api/notification/read-command.ts';
import { repaymentScheduleRequest } from '../../../../shared/api/actions/schedule-action.ts';
import { calculateRepaymentSchedule } from '../../../../shared/lending/calculate-repayment-schedule.ts';
import { toCalendarDate } from '../../../../shared/lending/dates/calendar-date.ts';
import { HEADER } from '../../../../shared/messaging/headers.ts';
import { TOPIC } from '../../../../shared/messaging/topics/topic-list.ts';
import { createProblem } from '../../../../shared/platform/problem.ts';

const guide = readFileSync(new URL('../../../../docs/api.md', import.meta.url), 'utf8');
const blocks = [...guide.matchAll(/```json\n([\s\S]*?)```/g)].map(
  ([, text = '']) => JSON.parse(text) as object,
);
const [firstInstallment, generic] = blocks;
const explanation = blocks.find((block) => Array.isArray(block)) as readonly object[] | undefined;
const problem = blocks.find((block) => 'errors' in block);
const action = ACTIONS[0];
const example = action?.examples[0];

test('the guide has the first row and the explained figures of the worked example', () => {
  expect([firstInstallment]).toEqual((example?.reply as readonly object[] | undefined)?.slice(0, 1));
  const fields = { ...(example?.request['jsonParam'] as object), Explain: true };
  const read = repaymentScheduleRequest.read({ jsonParam: fields });
  if (read.kind === 'invalid') throw new Error(JSON.stringify(read.faults));
  const outcome = calculateRepaymentSchedule(read.payload, { requestDay: toCalendarDate(2024, 1, 1) });
  const rows = JSON.parse(action?.render(outcome) ?? '[]') as readonly { Explanation: readonly object[] }[];
  expect(explanation).toHaveLength(2);
  expect(rows[0]?.Explanation).toEqual(expect.arrayContaining([...(explanation ?? [])]));
});

test('the guide names all actions, existing topics and headers, and calls a worked example', () => {
  const named = [...guide.matchAll(/^\| `(plat_bp_\w+)` \|/gim)].map(([, name = '']) => name);
  expect(named).toEqual(ACTIONS.map(({ name }) => name));
  const [, called = '', body = ''] =
    /^curl -s \S+\/actions\/(\w+) \\\n.*\n {2}-d '([^']+)'$/m.exec(guide) ?? [];
  expect([called, JSON.parse(body)]).toEqual([action?.name, example?.request]);
  const topics = [...guide.matchAll(/plat\.[a-z]+\.[a-z.-]+\.v\d/g)].map(([name]) => name);
  expect(topics.length).toBeGreaterThan(2);
  for (const topic of topics) expect(Object.values(TOPIC)).toContain(topic);
  const headers = [...guide.matchAll(/\b(?:kafka_\w+|plat-[a-z]+(?:-[a-z]+)*)/g)].map(([name]) => name);
  expect(headers.length).toBeGreaterThan(8);
  for (const header of headers) expect(Object.values(HEADER)).toContain(header);
});

test('the notification of the guide is valid, and its answer is a worked example', async () => {
  const call = /email\/send \\\n(?:.*\\\n)+ {2}-d '([^']+)'/.exec(guide)?.[1] ?? '';
  const read = await emailReader.read(JSON.parse(call), { hasDefaultSender: true });
  expect(read).toMatchObject({ kind: 'valid', warnings: [] });
  expect(blocks).toContainEqual(notification.accepted);
});

test('the generic form of the guide can be read, and its problem is the answer to its request', () => {
  expect(action?.read(generic)).toMatchObject({
    faults: expect.arrayContaining([expect.anything()]) as unknown,
  });
  expect(action?.read(generic)).not.toMatchObject({ faults: [{ path: 'Data' }] });
  const fields = { ...(example?.request['jsonParam'] as object), Amount: '100', InstallmentsNo: null };
  const read = action?.read({ jsonParam: fields });
  const errors = read?.kind === 'invalid' ? read.faults : [];
  expect(problem).toEqual(createProblem('invalid-request', { errors, correlationId: 'loan-4711' }));
});
