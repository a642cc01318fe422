import {
  VERIFICATION_READERS,
  type StartVerification,
  type VerificationReply,
  type VerificationRequest,
} from '../../../shared/api/notification/verification-operations.ts';
import type { ReadRequest } from '../../../shared/api/json/request-reader.ts';
import type { Codec } from '../../../shared/messaging/codec.ts';
import type { Handlers, Request } from '../../../shared/messaging/handler/request.ts';
import { requesterOf } from '../../../shared/messaging/handler/request.ts';
import { HEADER } from '../../../shared/messaging/headers.ts';
import type { OutgoingMessage } from '../../../shared/messaging/message.ts';
import { done, refused, type Outcome } from '../../../shared/messaging/outcome.ts';
import type { Publisher } from '../../../shared/messaging/ports.ts';
import type { createReceiverHashes } from '../../../shared/notification/party-hashes.ts';
import type { CommandProofs } from '../../../shared/notification/command-proof.ts';
import type { Channel, EmailCommand, SmsCommand } from '../../../shared/notification/notification-command.ts';
import type { VerificationCodes } from '../../../shared/notification/verification-codes.ts';
import {
  mayFallBack,
  refusalOf,
  SERVICE_UNAVAILABLE,
  stateOf,
  type Verdict,
  type Verification,
  type VerificationState,
} from '../../../shared/notification/verification.ts';
import { UPSTREAM } from '../../../shared/quotas/usage-record.ts';
import type { Quotas } from '../../../shared/quotas/quotas.ts';
import { createProblem, type Problem } from '../../../shared/platform/problem.ts';
import { assertNever, InfrastructureError } from '../../../shared/platform/errors.ts';
import type { Clock } from '../../../shared/platform/system-ports.ts';
import type { DeliveryLog } from '../state/delivery-log.ts';
import type { VerificationService } from '../providers/verification-service.ts';
import type { VerificationLog } from './verification-log.ts';

/** Verifications in memory, about 1 KiB each. Further ones are refused until earlier ones are two hours old. */
const MAX_KNOWN = 200_000;

const NO_SERVICE = createProblem('not-ready', {
  detail: 'The verification service of the provider did not answer. Try again.',
});
const NO_QUOTAS = createProblem('not-ready', { detail: 'The quotas cannot be read at the moment.' });
const UNKNOWN_ID = createProblem('unknown-verification');

export interface VerificationParts {
  readonly codes: VerificationCodes;
  readonly proofs: CommandProofs;
  readonly receivers: ReturnType<typeof createReceiverHashes>;
  readonly log: VerificationLog;
  readonly codec: Codec;
  readonly clock: Clock;
  readonly copies: Publisher;
  readonly deliveryLog: Pick<DeliveryLog, 'find'>;
  readonly quotas?: Quotas | undefined;
  readonly service: VerificationService | undefined;
  readonly hasProvider: (channel: Channel) => boolean;
  readonly commandTopic: (channel: Channel) => string;
}

type Sending = Pick<Verification, 'id' | 'caller' | 'createdAt' | 'plan' | 'sends' | 'target'>;
type Change =
  | { readonly kind: 'sent' | 'cancelled' }
  | { readonly kind: 'checked'; readonly mac: string }
  | { readonly kind: 'checked'; readonly verdict: Verdict };
type Changed = { readonly known: Verification; readonly state: VerificationState };

/**
 * Handles the requests of verifications (N10). It writes an event, reads it back, and answers from the fold of the log.
 * So a crash, a repeated message and two owners of a partition do no harm.
 */
export class VerifyRequests {
  readonly handlers: Handlers;
  readonly #parts: VerificationParts;
  /** Those whose fallback message this process has published. */
  readonly #published = new WeakSet<Verification>();

  constructor(parts: VerificationParts) {
    this.#parts = parts;
    const { start, check, plain } = VERIFICATION_READERS;
    this.handlers = {
      StartVerificationRequest: handlerOf(start, (...given) => this.#start(...given)),
      CheckVerificationRequest: handlerOf(check, (...given) => this.#check(...given)),
      ResendVerificationRequest: handlerOf(plain, (...given) => this.#resend(...given)),
      CancelVerificationRequest: handlerOf(plain, (...given) => this.#cancel(...given)),
      GetVerificationRequest: handlerOf(plain, (...given) => this.#get(...given)),
    };
  }

  /** Uses the fallback of each verification whose last message could not be sent. Call it from time to time. */
  async fallBack(): Promise<void> {
    const { log, clock, codes, copies, deliveryLog } = this.#parts;
    for (const known of log.all.watched(clock.now())) {
      const { id, sends, started } = known;
      if (started !== undefined) continue;
      const status = deliveryLog.find(codes.notificationId(known))?.status;
      if (!mayFallBack(known)) {
        if (status !== undefined || this.#published.has(known)) continue;
        await copies.publish(await this.#commandOf(known));
        this.#published.add(known);
      } else if (status === 'failed' || status === 'suppressed') {
        const request = `fallback/${sends}`;
        await log.write({ id, at: clock.now(), request, kind: 'fallback', send: sends });
      }
    }
  }

  async #start(request: Request, sent: StartVerification): Promise<Outcome> {
    const { log, clock } = this.#parts;
    const requestId = this.#idOf(request);
    const { verificationId: id = requestId, caller = UPSTREAM, ...plan } = sent;
    if (log.all.find(id) === undefined) {
      const createdAt = clock.now();
      const problem = this.#refusalOfSend({ id, caller, createdAt, plan, sends: 1, target: plan });
      if (problem !== undefined) return refused(problem);
      await log.write({ id, at: createdAt, request: requestId, kind: 'created', caller, plan });
    }
    const known = log.all.find(id);
    if (known === undefined)
      throw new InfrastructureError('verification-lost', 'a verification is not known');
    const isSame = known.caller === caller && JSON.stringify(known.plan) === JSON.stringify(plan);
    if (!isSame) return refused(createProblem('idempotency-conflict'));
    return this.#answer(known, known.answers.get(requestId) ?? stateOf(known, clock.now()));
  }

  async #check(request: Request, sent: VerificationRequest): Promise<Outcome> {
    const { codes, service } = this.#parts;
    const { code = '' } = sent;
    const changed = await this.#change(request, sent, 'checked', async (known) => {
      const { started, target, sends, id } = known;
      if (started?.send !== sends || service === undefined)
        return { kind: 'checked', mac: codes.mac(id, code) };
      const verdict = await service.check({ ...started, receiver: target.receiver }, code);
      return { kind: 'checked', verdict };
    });
    if ('code' in changed) return refused(changed);
    const hasEnded = changed.state.status === 'expired';
    return hasEnded ? refused(createProblem('verification-ended')) : done(replyOf(changed.state));
  }

  async #resend(request: Request, sent: VerificationRequest): Promise<Outcome> {
    const changed = await this.#change(request, sent, 'sent', (known) => {
      return this.#refusalOfSend({ ...known, sends: known.sends + 1 }) ?? { kind: 'sent' };
    });
    return 'code' in changed ? refused(changed) : this.#answer(changed.known, changed.state);
  }

  async #cancel(request: Request, sent: VerificationRequest): Promise<Outcome> {
    const changed = await this.#change(request, sent, 'cancelled', () => ({ kind: 'cancelled' }));
    if ('code' in changed) return refused(changed);
    const { started } = changed.known;
    // Its code is not asked for any more, so nothing depends on the service.
    if (started !== undefined) await this.#parts.service?.cancel(started.reference).catch(() => undefined);
    return done(replyOf(changed.state));
  }

  async #get(_request: Request, sent: VerificationRequest): Promise<Outcome> {
    const { log, clock } = this.#parts;
    await log.caughtUp();
    const known = await this.#find(sent);
    return known === undefined ? refused(UNKNOWN_ID) : done(replyOf(stateOf(known, clock.now())));
  }

  /** Writes an event, unless the request had its effect before or can have none. */
  async #change(
    request: Request,
    sent: VerificationRequest,
    kind: Change['kind'],
    changeOf: (known: Verification) => Promise<Change | Problem> | Change | Problem,
  ): Promise<Changed | Problem> {
    const { log, clock } = this.#parts;
    const known = await this.#find(sent);
    if (known === undefined) return UNKNOWN_ID;
    const requestId = this.#idOf(request);
    const former = known.answers.get(requestId);
    if (former !== undefined) return { known, state: former };
    const refusal = refusalOf(known, kind, clock.now());
    if (refusal !== undefined) return createProblem(refusal);
    const change = await changeOf(known);
    if ('code' in change) return change;
    await log.write({ id: known.id, at: clock.now(), request: requestId, ...change });
    const state = known.answers.get(requestId);
    if (state !== undefined) return { known, state };
    return createProblem(refusalOf(known, kind, clock.now()) ?? 'verification-ended');
  }

  async #find({ verificationId, caller = UPSTREAM }: VerificationRequest): Promise<Verification | undefined> {
    const { log } = this.#parts;
    const id = verificationId.toLowerCase();
    if (log.all.find(id) === undefined) await log.caughtUp();
    const known = log.all.find(id);
    return known?.caller === caller ? known : undefined;
  }

  /** Answers with the state after a start or resend. Sends the message again, in case a crash prevented it. */
  async #answer(known: Verification, after: VerificationState): Promise<Outcome> {
    const { clock } = this.#parts;
    const current = stateOf(known, clock.now());
    const isLast = after.sendsLeft === current.sendsLeft && current.status === 'pending';
    const outputs = isLast ? await this.#send(known) : [];
    if (outputs === 'exhausted') return refused(createProblem('verification-exhausted'));
    const now = stateOf(known, clock.now());
    // The service of a provider may have rejected the receiver.
    const isChanged = isLast && (now.status !== 'pending' || now.sendsLeft !== after.sendsLeft);
    return done(replyOf(isChanged ? now : after), outputs);
  }

  /** Sends the last message, by a notification or by the service of a provider. Returns what is to be published. */
  async #send(known: Verification): Promise<readonly OutgoingMessage[] | 'exhausted'> {
    const { log, clock, service } = this.#parts;
    const { id, sends, target, plan, started } = known;
    if (service?.channels.includes(target.channel) !== true) return this.#commandOf(known);
    if (started?.send === sends) return [];
    const result = await service.start(target, plan, started?.reference);
    const usage = this.#usageOf(known);
    const outputs = usage?.kind === 'admitted' && usage.record !== undefined ? [usage.record] : [];
    const event = { id, at: clock.now() };
    switch (result.kind) {
      case 'exhausted':
        return 'exhausted';
      case 'started': {
        const { reference } = result;
        await log.write({ ...event, kind: 'started', request: `started/${sends}`, send: sends, reference });
        return outputs;
      }
      case 'rejected':
        if (!mayFallBack(known)) {
          await log.write({ ...event, kind: 'rejected', request: `rejected/${sends}` });
          return [];
        }
        await log.write({ ...event, kind: 'fallback', request: `fallback/${sends}`, send: sends });
        return known.sends > sends ? this.#send(known) : [];
      default:
        return assertNever(result);
    }
  }

  /** The command of the last message. Its id is the same however often it is made, so it is sent once. */
  async #commandOf(known: Verification): Promise<readonly OutgoingMessage[]> {
    const { codes, codec, proofs, receivers, commandTopic } = this.#parts;
    const { plan, target, expiresAt } = known;
    const notificationId = codes.notificationId(known);
    const command = commandTo(known);
    const type = target.channel === 'sms' ? 'SendSmsCommand' : 'SendEmailCommand';
    const { value, headers } = await codec.encode(type, { ...command, notificationId }, 'avro');
    const usage = this.#usageOf(known);
    const message = {
      topic: commandTopic(target.channel),
      key: receivers.keyOf(target.channel, target.receiver),
      value,
      headers: {
        ...headers,
        [HEADER.notificationId]: notificationId,
        [HEADER.commandProof]: proofs.prove(notificationId, proofs.hash(command)),
        [HEADER.deadline]: String(expiresAt),
        [HEADER.codeDigits]: String(plan.length),
        ...(usage?.kind === 'admitted' ? { [HEADER.quotaCounted]: 'true' } : {}),
      },
    };
    return usage?.kind === 'admitted' && usage.record !== undefined ? [message, usage.record] : [message];
  }

  /** Why a message cannot be sent (N6); undefined if it can. */
  #refusalOfSend(sending: Sending): Problem | undefined {
    const { log, service, hasProvider, quotas, codes } = this.#parts;
    const { channel } = sending.target;
    if (log.all.size >= MAX_KNOWN) return createProblem('overloaded');
    if (service?.channels.includes(channel) !== true && !hasProvider(channel))
      return createProblem('no-provider');
    const usage = this.#usageOf(sending);
    if (usage?.kind === 'unknown') return NO_QUOTAS;
    // It is counted with its command.
    if (usage?.kind === 'admitted') quotas?.release(codes.notificationId(sending));
    if (usage?.kind !== 'refused') return undefined;
    const code = usage.quota === 'country-not-allowed' ? usage.quota : 'quota-exceeded';
    const message = `is refused until ${new Date(usage.resetsAtMs).toISOString()}`;
    return createProblem(code, { errors: [{ path: 'receiver', code: usage.quota, message }] });
  }

  #usageOf(sending: Sending) {
    const { quotas, codes } = this.#parts;
    const { caller, target } = sending;
    const message = { caller, channel: target.channel, command: commandTo(sending) };
    return quotas?.admit(codes.notificationId(sending), message);
  }

  /** The same for a repeated message, by its requester's correlation id, or without one by its place on the topic. */
  #idOf(request: Request): string {
    const { correlationId, message, type = '' } = request;
    const { topic, partition, offset, value } = message;
    const place = correlationId?.toString('latin1') ?? `${topic}/${partition}/${offset}`;
    return this.#parts.codes.idOf(requesterOf(request), place, type, value?.toString('latin1') ?? '');
  }
}

function handlerOf<Payload>(
  reader: { read(body: unknown): ReadRequest<Payload> },
  handle: (request: Request, payload: Payload) => Promise<Outcome>,
): Handlers[string] {
  return async (payload, request) => {
    const given = reader.read(payload);
    if (given.kind === 'invalid') return refused(createProblem('invalid-request', { errors: given.faults }));
    try {
      return await handle(request, given.payload);
    } catch (error) {
      if (error instanceof InfrastructureError && error.code === SERVICE_UNAVAILABLE)
        return refused(NO_SERVICE);
      throw error;
    }
  };
}

function replyOf({ id: verificationId, ...state }: VerificationState) {
  return { type: 'VerificationReply', payload: { verificationId, ...state } satisfies VerificationReply };
}

/** The command without its id, with the placeholder of the code in its text. */
function commandTo({ plan, target }: Pick<Verification, 'plan' | 'target'>): SmsCommand | EmailCommand {
  const { message, subject } = plan;
  // The sender is one of the first channel.
  const sender = target.channel === plan.channel ? plan.sender : undefined;
  const common = { notificationId: undefined, sender, receiver: target.receiver, message };
  if (target.channel === 'sms') return common;
  return { ...common, subject, cc: [], bcc: [], contentType: 'text/plain', attachments: [] };
}
