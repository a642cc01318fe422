import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { ACTIONS, findAction } from '../../../../shared/contract/actions/actions.ts';
import notification from '../../../../shared/contract/notification/examples.json' with { type: 'json' };
import { NOTIFICATION_LIMITS } from '../../../../shared/contract/notification/limits.ts';
import { emailReader } from '../../../../shared/contract/notification/commands.ts';
import { repaymentScheduleRequest } from '../../../../shared/contract/schedule/calculate-repayment-schedule.ts';
import { calculateRepaymentSchedule } from '../../../../shared/lending/calculate-repayment-schedule.ts';
import { toCalendarDate } from '../../../../shared/lending/dates/calendar-date.ts';
import { HEADER } from '../../../../shared/messaging/header-names.ts';
import { TOPIC } from '../../../../shared/messaging/topics/topics.ts';
import { createProblem, ERROR_CODES } from '../../../../shared/platform/problem.ts';

const guide = readFileSync(new URL('../../../../docs/api.md', import.meta.url), 'utf8');
const blocks = [...guide.matchAll(/```json\n([\s\S]*?)```/g)].map(
  ([, text = '']) => JSON.parse(text) as object,
);
const [firstInstallment, generic] = blocks;
const explanation = blocks.find((block) => Array.isArray(block)) as readonly object[] | undefined;
const problem = blocks.find((block) => 'errors' in block);
const payment = blocks.find((block) => 'PMTValue' in block);
const rate = blocks.find((block) => 'Rate' in block);
const productByCode = blocks.find((block) => 'BankingProduct' in block);
const productDetails = blocks.find((block) => 'ProductImage' in block);
const insuranceList = blocks.find((block) => 'Insurances' in block);
const productDocuments = blocks.find((block) => Array.isArray(block) && block.some(isDocument));
const simulation = blocks.find((block) => 'Records' in block);
const answers = [payment, rate, productByCode, productDetails, insuranceList, productDocuments, simulation];
const action = ACTIONS[0];
const example = action?.examples[0];

test('the guide has the first row of the worked example', () => {
  expect([firstInstallment]).toEqual((example?.reply as readonly object[] | undefined)?.slice(0, 1));
});

test('the guide has the explained figures of the worked example', () => {
  const fields = { ...(example?.request['jsonParam'] as object), Explain: true };
  const read = repaymentScheduleRequest.read({ jsonParam: fields });
  if (read.kind === 'invalid') throw new Error(JSON.stringify(read.faults));
  const outcome = calculateRepaymentSchedule(read.payload, { requestDay: toCalendarDate(2024, 1, 1) });
  const rows = JSON.parse(action?.render(outcome) ?? '[]') as readonly { Explanation: readonly object[] }[];
  expect(explanation).toHaveLength(2);
  expect(rows[0]?.Explanation).toEqual(expect.arrayContaining([...(explanation ?? [])]));
});

test('the calls and answers of the guide are worked examples', () => {
  const calls = [...guide.matchAll(/^curl -s \S+\/actions\/(\w+) \\\n.*\n {2}-d '([^']+)'$/gm)];
  const shown = calls.map(([, name = '', body = '']) => ({ name, request: JSON.parse(body) as unknown }));
  expect(shown.map(({ name }) => findAction(name)?.name)).toEqual(ACTIONS.map(({ name }) => name));
  for (const { name, request } of shown) expect(request).toEqual(findAction(name)?.examples[0]?.request);
  // Of the schedule, the guide has one row only.
  expect(answers).toEqual(ACTIONS.slice(1).map(({ examples: [{ reply }] }) => reply));
});

test('the notification of the guide is valid, and its answers are worked examples', async () => {
  const call = /email\/send \\\n(?:.*\\\n)+ {2}-d '([^']+)'/.exec(guide)?.[1] ?? '';
  const read = await emailReader.read(JSON.parse(call), { hasDefaultSender: true });
  expect(read).toMatchObject({ kind: 'valid', warnings: [] });
  expect(blocks).toContainEqual(notification.accepted);
  expect(blocks).toContainEqual(notification.notification);
});

test('the guide has the limits of notifications', () => {
  const { smsCharacters, subjectBytes, recipients, attachments, attachmentBytes } = NOTIFICATION_LIMITS;
  const reported = [
    `${smsCharacters.toLocaleString('en')} UTF-16 units`,
    `${NOTIFICATION_LIMITS.smsSenderCharacters} GSM characters`,
    `at most ${NOTIFICATION_LIMITS.addressCharacters} characters`,
    `at most ${subjectBytes} bytes`,
    `${recipients} recipients in all`,
    `at most ${attachments} files, ${attachmentBytes / 1_048_576} MiB decoded`,
    `at most ${NOTIFICATION_LIMITS.attachmentNameCharacters} characters`,
    `1 to ${NOTIFICATION_LIMITS.idempotencyKeyCharacters} printable ASCII characters`,
  ];
  expect(reported.filter((text) => !guide.replaceAll('\n', ' ').includes(text))).toEqual([]);
});

test('the Data of the generic form in the guide can be read', () => {
  expect(action?.read(generic)).toMatchObject({
    faults: expect.arrayContaining([expect.anything()]) as unknown,
  });
  expect(action?.read(generic)).not.toMatchObject({ faults: [{ path: 'Data' }] });
});

test('the problem of the guide is the answer to its request', () => {
  const fields = { ...(example?.request['jsonParam'] as object), Amount: '100', InstallmentsNo: null };
  const read = action?.read({ jsonParam: fields });
  const errors = read?.kind === 'invalid' ? read.faults : [];
  expect(problem).toEqual(createProblem('invalid-request', { errors, correlationId: 'loan-4711' }));
});

test('the table of errors has all error codes', () => {
  const rows = [...guide.matchAll(/^\| (\d{3}) \| `([\w-]+)` \| (.+) \| (yes|no) \|$/gm)];
  const documented = rows.map(([, status, code, title, again]) => [Number(status), code, title, again]);
  const listed = Object.entries(ERROR_CODES).map(([code, { status, title, retryable }]) => [
    status,
    code,
    title,
    retryable ? 'yes' : 'no',
  ]);
  expect(documented).toEqual(listed);
});

test('the topics and headers of the guide exist', () => {
  const topics = [...guide.matchAll(/plat\.[a-z]+\.[a-z.-]+\.v\d/g)].map(([name]) => name);
  expect(topics.length).toBeGreaterThan(2);
  for (const topic of topics) expect(Object.values(TOPIC)).toContain(topic);
  const headers = [...guide.matchAll(/\b(?:kafka_\w+|plat-[a-z]+(?:-[a-z]+)*)/g)].map(([name]) => name);
  expect(headers.length).toBeGreaterThan(8);
  for (const header of headers) expect(Object.values(HEADER)).toContain(header);
});

function isDocument(item: unknown): boolean {
  return typeof item === 'object' && item !== null && 'Doc' in item;
}
