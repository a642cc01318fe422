/** The program of the calculation threads. piscina calls its exported functions. */

import { workerData } from 'node:worker_threads';
import { deserialize } from 'node:v8';
import type { ThreadAnswer, ThreadConfig, ThreadTasks } from './runtime/thread-pool.ts';
import { restoreEnvironment, type LendingSnapshot } from '../shared/product/storage/lending-environment.ts';
import type { OfferDocument } from '../shared/api/actions/offer-document-fields.ts';
import { ACTIONS } from '../shared/api/actions/actions.ts';
import { renderAs } from '../shared/api/json/action-definition.ts';
import { isTransientFailure, type Outcome, type Reply } from '../shared/messaging/outcome.ts';
import { readReply } from '../shared/messaging/requester/read-reply.ts';
import { systemClock } from '../shared/platform/system-ports.ts';
import { errorText } from '../shared/platform/errors.ts';
import { createCodec } from './create-codec.ts';
import { createCalculations, type Calculations } from './schedule/schedule-calculations.ts';

const creatingCodec = createCodec(workerData as ThreadConfig, systemClock);
let calculations: { readonly version: number; readonly known: Calculations } | undefined;

export function calculate(task: ThreadTasks['calculate']): Promise<ThreadAnswer<Outcome>> {
  return answer(() => calculateRequest(task));
}

export function render(task: ThreadTasks['render']): Promise<ThreadAnswer<Reply>> {
  return answer(() => renderReply(task));
}

/** Loads the printer and its fonts on the first use. */
export function print({ document }: ThreadTasks['print']): Promise<ThreadAnswer<Uint8Array>> {
  return answer(async () => {
    const { renderPdf } = await import('../shared/offer/render-pdf.ts');
    return renderPdf(JSON.parse(document) as OfferDocument);
  });
}

/** Returns an error instead of throwing it: the class of a thrown error would not reach the other thread. */
async function answer<Result>(work: () => Promise<Result>): Promise<ThreadAnswer<Result>> {
  try {
    return { result: await work() };
  } catch (error) {
    const thrown = error instanceof Error ? error : new Error(errorText(error));
    return { error: thrown, mayPass: isTransientFailure(error) };
  }
}

async function calculateRequest(task: ThreadTasks['calculate']): Promise<Outcome> {
  const { type, value, format, originTimestampMs, snapshot } = task;
  const codec = await creatingCodec;
  const decoded = await codec.decode({ value: Buffer.from(value), headers: {} });
  const calculation = restore(snapshot)[type];
  if (decoded.kind === 'undecodable' || calculation === undefined)
    throw new Error(`a request of type ${type} cannot be calculated in this thread`);
  const outcome = calculation.answer(decoded.payload, originTimestampMs);
  if (outcome.kind !== 'done' || outcome.reply === undefined) return outcome;
  const { reply } = outcome;
  const encoded = await codec.encode(reply.type, reply.payload, format);
  return { ...outcome, reply: { ...reply, payload: undefined, encoded } };
}

function restore({ version, bytes }: ThreadTasks['calculate']['snapshot']): Calculations {
  if (calculations?.version !== version) {
    const snapshot = deserialize(new Uint8Array(bytes)) as LendingSnapshot;
    calculations = { version, known: createCalculations(restoreEnvironment(snapshot)) };
  }
  return calculations.known;
}

async function renderReply({ value, headers, mediaType }: ThreadTasks['render']): Promise<Reply> {
  const reply = await readReply(await creatingCodec, { value: Buffer.from(value), headers });
  if (reply.kind === 'problem') return reply;
  const action = ACTIONS.find(({ replyType }) => replyType === reply.type);
  if (action === undefined) throw new Error(`a reply of type ${reply.type} cannot be rendered`);
  const rendered = renderAs(action, reply.payload, mediaType);
  return { ...reply, ...rendered, payload: undefined, body: Buffer.from(rendered.body) };
}
