import { sleep } from '../../../shared/platform/system-ports.ts';
import { Picks } from '../../support/random/pick.ts';
import type { ActionExchange, NotificationExchange, StateLook } from '../check/history.ts';
import { digest } from '../check/journal.ts';
import type { Answer, Call } from '../ingress-call.ts';
import { actionOf, expectedAnswer, type Expected } from './expected-answers.ts';
import type { ActionCall, NotificationCall } from './plan.ts';
import type { World } from './world.ts';

const ACTIONS = '/platapi/automation-processors/actions';
const NOTIFICATIONS = '/api/notifications/v1';
const ACCEPTED = 202;
const POLL_MS = 2_000;
const REPEAT_MS = 1_000;
const MAX_REPEATS = 6;
/** Longer than the deadline of an asynchronous request and the retention of its result take in a run. */
const MAX_POLLS = 60;

export async function callAction(world: World, call: ActionCall): Promise<void> {
  const { history, system } = world;
  const exchange: ActionExchange = {
    id: call.id,
    sentAtMs: system.monotonic.elapsedMs(),
    expected: expectedOf(call, system.clock.now()),
    isAsync: call.isAsync,
  };
  history.actions.push(exchange);
  const action = actionOf(call.requestType);
  const headers: Call['headers'] = call.isAsync ? { prefer: 'respond-async' } : {};
  const url = `${ACTIONS}/${action.name}`;
  const request: Call = { method: 'POST', url, headers, body: formOf(call) };
  const answer = await tell(world, call.ingress, { id: call.id, request });
  exchange.absentMs = world.absentMs(call.ingress);
  settle(world, exchange, answer);
  if (answer?.status !== ACCEPTED) return;
  exchange.acceptedAtMs = system.monotonic.elapsedMs();
  await fetchResult(world, call, exchange, String(answer.headers['location']));
}

async function fetchResult(world: World, call: ActionCall, exchange: ActionExchange, url: string) {
  for (let poll = 1; poll <= MAX_POLLS && !world.isOver(); poll += 1) {
    await sleep(world.system.timers, POLL_MS);
    const answer = await tell(world, call.ingress + poll, { id: call.id, request: { method: 'GET', url } });
    if (answer === undefined || answer.status === ACCEPTED || answer.status === 503) continue;
    settle(world, exchange, answer);
    return;
  }
}

function settle({ system, watcher }: World, exchange: ActionExchange, answer: Answer | undefined): void {
  exchange.answer = answer;
  exchange.answeredAtMs = system.monotonic.elapsedMs();
  watcher.onActionAnswer(exchange);
}

function formOf({ body, form }: ActionCall): unknown {
  if (typeof body === 'string' || form === 'direct') return body;
  const Data = form === 'text' ? JSON.stringify(body) : body;
  return { access_token: 'none', user_name: 'simulated', Data };
}

function expectedOf({ requestType, body }: ActionCall, nowMs: number): Expected {
  if (typeof body === 'string') {
    const code = body.startsWith('[') ? 'invalid-request' : 'malformed-json';
    return { status: 400, code };
  }
  return expectedAnswer(actionOf(requestType), body, nowMs);
}

/** Sends a notification and repeats it as planned, each by a caller of its own. */
export async function sendNotification(world: World, call: NotificationCall): Promise<void> {
  const first = send(world, call, { ingress: call.ingress, isOther: false });
  const repeats = call.repeats.map(async ({ afterMs, ingress, isOther }) => {
    await sleep(world.system.timers, afterMs);
    await send(world, call, { ingress, isOther });
  });
  await Promise.all([first, ...repeats]);
}

type Sending = Pick<NotificationCall['repeats'][number], 'ingress' | 'isOther'>;

async function send(world: World, call: NotificationCall, { ingress, isOther }: Sending): Promise<void> {
  const { history, system } = world;
  const text = `text of ${call.id}${isOther ? ' changed' : ''}.`;
  const exchange: NotificationExchange = { call, isOther, text, sentAtMs: system.monotonic.elapsedMs() };
  history.notifications.push(exchange);
  const request: Call = {
    method: 'POST',
    url: `${NOTIFICATIONS}/${call.channel}/send`,
    headers: {
      'x-communication-channel': call.channel === 'sms' ? '1' : '2',
      'x-sender-id': 'platrealm',
      ...(call.key === undefined ? {} : { 'idempotency-key': call.key }),
      ...(call.isUrgent ? { urgency: 'high' } : {}),
    },
    body: notificationBody(call, text),
  };
  const picks = new Picks(call.atMs + ingress);
  for (let attempt = 0; attempt <= MAX_REPEATS && !world.isOver(); attempt += 1) {
    const answer = await tell(world, ingress + attempt, { id: call.id, request });
    exchange.answer = answer;
    exchange.answeredAtMs = system.monotonic.elapsedMs();
    world.watcher.onNotificationAnswer(exchange);
    // Without a key a repetition is another notification (N3), so only a call that stored nothing is repeated.
    const isUnclear = answer === undefined || answer.status === 504;
    const mayRepeat = call.key === undefined ? answer?.status === 503 : isUnclear || answer?.status === 503;
    if (!mayRepeat) break;
    await sleep(system.timers, REPEAT_MS * 2 ** attempt + picks.whole(0, REPEAT_MS));
  }
  if (exchange.answer?.status !== ACCEPTED) return;
  const { notificationId } = JSON.parse(exchange.answer.body) as { readonly notificationId: string };
  exchange.notificationId = notificationId;
  world.journal.note('caller', 'has the id of its notification', call.id, notificationId);
  await Promise.all(
    call.looksAfterMs.map(async (afterMs, index) => {
      await sleep(system.timers, afterMs);
      await lookAt(world, call.ingress + index, { notificationId, id: call.id });
    }),
  );
}

function notificationBody({ channel, receiver, isValid }: NotificationCall, message: string): object {
  const body = { message, receiver: isValid ? receiverOf(channel, receiver) : 'nobody' };
  return channel === 'sms' ? body : { ...body, subject: 'News' };
}

export function receiverOf(channel: 'sms' | 'email', receiver: number): string {
  return channel === 'sms' ? `+4072212345${receiver}` : `receiver-${receiver}@mail.example`;
}

export async function lookAt(
  world: World,
  ingress: number,
  { notificationId, id }: { readonly notificationId: string; readonly id: string },
): Promise<StateLook | undefined> {
  const sentAtMs = world.system.monotonic.elapsedMs();
  const request: Call = { method: 'GET', url: `${NOTIFICATIONS}/${notificationId}` };
  const answer = await tell(world, ingress, { id, request });
  if (answer === undefined) return undefined;
  const answeredAtMs = world.system.monotonic.elapsedMs();
  const instance = world.ingressName(ingress);
  const seen = { notificationId, ingress: instance, sentAtMs, answeredAtMs, answer };
  world.history.looks.push(seen);
  return seen;
}

async function tell(
  world: World,
  ingress: number,
  { id, request }: { readonly id: string; readonly request: Call },
): Promise<Answer | undefined> {
  const { journal } = world;
  const name = world.ingressName(ingress);
  journal.note('caller', `${request.method} ${request.url} to ${name}`, id);
  const answer = await world.call(ingress, request);
  if (answer === undefined) journal.note('caller', `lost the connection to ${name}`, id);
  else
    journal.note('caller', `got ${answer.status}${codeOf(answer)} ${digest(answer.body)} from ${name}`, id);
  return answer;
}

function codeOf({ status, body }: Answer): string {
  return status < 400 ? '' : ` ${(JSON.parse(body) as { readonly code?: string }).code ?? ''}`;
}
