/** The calculation thread: runs the tasks of the thread pool in sequence. */

import { parentPort, workerData } from 'node:worker_threads';
import type { ThreadAnswer, ThreadConfig, ThreadTask } from './runtime/thread-pool.ts';
import { restoreEnvironment } from '../shared/catalogue/lending-environment.ts';
import { ACTIONS } from '../shared/contract/actions/actions.ts';
import { isTransientFailure } from '../shared/messaging/processing-result.ts';
import { readReply } from '../shared/messaging/requester/read-reply.ts';
import { systemClock } from '../shared/platform/clock.ts';
import { errorText } from '../shared/platform/errors.ts';
import { createCodec } from './create-codec.ts';
import { createCalculations, type Calculations } from './schedule/schedule-calculations.ts';

const port = parentPort;
if (port === null) throw new Error('this program runs in a thread of the engine');

const codec = await createCodec(workerData as ThreadConfig, systemClock);
let calculations: Calculations | undefined;

port.on('message', (task: ThreadTask) => {
  answer(task).then(
    ({ result, transfer }) => port.postMessage(result, transfer),
    (error: unknown) => port.postMessage(describeFailure(error)),
  );
});

function describeFailure(error: unknown): ThreadAnswer {
  const thrown = error instanceof Error ? error : new Error(errorText(error));
  return { kind: 'failed', error: thrown, mayPass: isTransientFailure(error) };
}

interface TaskAnswer {
  readonly result: ThreadAnswer;
  readonly transfer: ArrayBuffer[];
}

async function answer(task: ThreadTask): Promise<TaskAnswer> {
  return task.kind === 'calculate' ? calculate(task) : render(task);
}

async function calculate({
  work,
  snapshot,
}: Extract<ThreadTask, { kind: 'calculate' }>): Promise<TaskAnswer> {
  if (snapshot !== undefined) {
    // Without the former ones, which would be of another catalogue, if the snapshot cannot be restored.
    calculations = undefined;
    calculations = createCalculations(restoreEnvironment(snapshot));
  }
  const decoded = await codec.decode({ value: Buffer.from(work.value), headers: {} });
  const calculation = calculations?.[work.type];
  if (decoded.kind === 'undecodable' || calculation === undefined)
    throw new Error(`a request of type ${work.type} cannot be calculated in this thread`);
  const outcome = calculation.answer(decoded.payload, work.originTimestampMs);
  if (outcome.kind !== 'done' || outcome.reply === undefined) {
    return { result: { kind: 'calculated', outcome }, transfer: [] };
  }
  const { type, payload, ...rest } = outcome.reply;
  const { value, headers } = await codec.encode(type, payload, work.format);
  const bytes = new Uint8Array(value);
  const reply = { type, payload: undefined, ...rest, encoded: { value: bytes as Buffer, headers } };
  return { result: { kind: 'calculated', outcome: { ...outcome, reply } }, transfer: [bytes.buffer] };
}

async function render({ value, headers }: Extract<ThreadTask, { kind: 'render' }>): Promise<TaskAnswer> {
  const reply = await readReply(codec, { value: Buffer.from(value), headers });
  if (reply.kind === 'problem') return { result: { kind: 'rendered', reply }, transfer: [] };
  const action = ACTIONS.find(({ replyType }) => replyType === reply.type);
  if (action === undefined) throw new Error(`a reply of type ${reply.type} cannot be rendered`);
  const body = transferable(Buffer.from(action.render(reply.payload)));
  return {
    result: { kind: 'rendered', reply: { ...reply, payload: undefined, body } },
    transfer: [body.buffer],
  };
}

/** The bytes as such, unless they are so few that Node may have put them beside others. */
function transferable(bytes: Buffer): Uint8Array<ArrayBuffer> {
  return bytes.length > Buffer.poolSize ? (bytes as Buffer<ArrayBuffer>) : new Uint8Array(bytes);
}
