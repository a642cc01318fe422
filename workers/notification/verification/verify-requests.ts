import type { FindTemplate } from '../../../shared/api/notification/fill-template.ts';
import { hasTemplate } from '../../../shared/api/notification/read-command.ts';
import {
  checkReader,
  plainReader,
  readStart,
  type VerificationRequest,
} from '../../../shared/api/notification/verification-operations.ts';
import type { InvalidRequest, ReadRequest } from '../../../shared/api/json/request-reader.ts';
import type { Codec } from '../../../shared/messaging/codec.ts';
import type { Handlers, Request } from '../../../shared/messaging/handler/request.ts';
import { requesterOf } from '../../../shared/messaging/handler/request.ts';
import { HEADER, headerText } from '../../../shared/messaging/headers.ts';
import type { OutgoingMessage } from '../../../shared/messaging/message.ts';
import { done, refused, type Outcome } from '../../../shared/messaging/outcome.ts';
import type { Publisher } from '../../../shared/messaging/ports.ts';
import { createReceiverHashes } from '../../../shared/notification/party-hashes.ts';
import { createCommandProofs, type CommandProofs } from '../../../shared/notification/command-proof.ts';
import type {
  Channel,
  EmailCommand,
  Outbound,
  SmsCommand,
} from '../../../shared/notification/notification-command.ts';
import type { NotificationState } from '../../../shared/notification/notification-state.ts';
import type { Providers, SendResult } from '../../../shared/notification/provider.ts';
import {
  createVerificationCodes,
  type VerificationCodes,
} from '../../../shared/notification/verification-codes.ts';
import {
  refusalOf,
  stateOf,
  type CodeStarted,
  type Verdict,
  type Verification,
  type VerificationChange,
  type VerificationState,
} from '../../../shared/notification/verification.ts';
import { UPSTREAM } from '../../../shared/quotas/usage-record.ts';
import { createProblem, type Problem } from '../../../shared/platform/problem.ts';
import { InfrastructureError } from '../../../shared/platform/errors.ts';
import type { Clock } from '../../../shared/platform/system-ports.ts';
import type { CommandCopy } from '../retry/command-copy.ts';
import { createVerificationLog, type LogOptions, type VerificationLog } from './verification-log.ts';

/** Of an e-mail without a template. */
const SUBJECT = 'Your code';

const NO_ANSWER = createProblem('not-ready', {
  detail: 'The provider of the code did not answer. Try again.',
});

export interface VerificationParts extends Pick<LogOptions, 'broker' | 'self' | 'timers' | 'log'> {
  readonly secret: string;
  readonly codec: Codec;
  readonly clock: Clock;
  readonly copies: Publisher;
  readonly templates: { open(): Promise<FindTemplate> };
  readonly providers: Providers;
  readonly commandTopic: (channel: Channel) => string;
  readonly topic: (key: 'notificationVerifications') => string;
}

type Intended =
  | { readonly kind: 'sent' | 'cancelled' }
  | { readonly kind: 'checked'; changeOf(known: Verification): Promise<VerificationChange | Problem> };

/**
 * Handles the requests of verifications (N10). It writes an event, reads it back, and answers from the fold of the log.
 * So a crash, a repeated message and two owners of a partition do no harm.
 */
export class VerifyRequests {
  readonly handlers: Handlers;
  readonly codes: VerificationCodes;
  readonly receivers: ReturnType<typeof createReceiverHashes>;
  readonly log: VerificationLog;
  readonly #parts: VerificationParts;
  readonly #proofs: CommandProofs;

  constructor(parts: VerificationParts) {
    const { secret, copies: publisher } = parts;
    const topic = parts.topic('notificationVerifications');
    this.#parts = parts;
    this.#proofs = createCommandProofs(secret);
    this.receivers = createReceiverHashes(secret);
    this.codes = createVerificationCodes(secret);
    this.log = createVerificationLog({ ...parts, codes: this.codes, publisher, topic });
    this.handlers = {
      StartVerificationRequest: (payload, request) => this.#start(request, payload),
      CheckVerificationRequest: handlerOf(checkReader, (...given) => this.#check(...given)),
      ResendVerificationRequest: handlerOf(plainReader, (...given) => this.#resend(...given)),
      CancelVerificationRequest: handlerOf(plainReader, (...given) => this.#cancel(...given)),
      GetVerificationRequest: handlerOf(plainReader, (...given) => this.#get(...given)),
    };
  }

  /**
   * Notes the outcome of a message before its state is written, and sends to the fallback if it failed. A
   * repeated call has no further effect.
   */
  async settled(
    { id: notificationId, message: { headers } }: CommandCopy,
    { status, channel, attempts, providerMessageId: reference = '' }: NotificationState,
  ): Promise<void> {
    const { clock, copies } = this.#parts;
    const [id = '', number] = headerText(headers, HEADER.verification)?.split('/') ?? [];
    if (id !== '' && !this.log.known.has(id)) await this.log.caughtUp();
    const known = this.log.known.get(id);
    const send = Number(number);
    if (known === undefined || this.codes.notificationId({ ...known, sends: send }) !== notificationId)
      return;
    const event = { id, at: clock.now(), send };
    const provider = attempts.at(-1)?.provider ?? '';
    if (status === 'failed' || status === 'suppressed')
      await this.log.write({ ...event, kind: 'unsent', request: `unsent/${send}` });
    const by = { channel, provider, reference };
    // An own code is noted if it takes the place of one that a provider has made.
    const isNoted = this.#callsOf(by) === undefined ? known.started !== undefined : reference !== '';
    if (status === 'sent' && isNoted)
      await this.log.write({ ...event, ...by, kind: 'started', request: `started/${send}` });
    // After a crash, a copy whose fallback is on the log may have an unknown outcome.
    const hasFallback = known.target !== known.plan && known.sends === send + 1;
    if (hasFallback && known.status === 'pending' && status !== 'sent')
      await copies.publish([await this.#commandOf(known)]);
  }

  async #start(request: Request, body: unknown): Promise<Outcome> {
    const { log } = this;
    const { clock, templates, providers } = this.#parts;
    const given = readStart(body, { findTemplate: hasTemplate(body) ? await templates.open() : undefined });
    if (given.kind === 'invalid') return refusedBy(given);
    const requestId = this.#idOf(request);
    const { verificationId: id = requestId, caller = UPSTREAM, ...plan } = given.payload;
    if (log.known.get(id) === undefined) {
      if (!log.hasRoom(caller, clock.now())) return refused(createProblem('overloaded'));
      if (providers.of(plan.channel).length === 0) return refused(createProblem('no-provider'));
      await log.write({ id, at: clock.now(), request: requestId, kind: 'created', caller, plan });
    }
    const known = log.known.get(id);
    if (known === undefined)
      throw new InfrastructureError('verification-lost', 'a verification is not known');
    // The template may have changed since.
    const [first, again] = [known.plan, plan].map((one) => JSON.stringify({ ...one, texts: undefined }));
    if (known.caller !== caller || first !== again) return refused(createProblem('idempotency-conflict'));
    return this.#answer(known, known.answers.get(requestId) ?? stateOf(known, clock.now()));
  }

  #check(request: Request, sent: VerificationRequest): Promise<Outcome> {
    const { code = '' } = sent;
    const changeOf = async (known: Verification): Promise<VerificationChange | Problem> => {
      const kind = 'checked';
      const own = this.codes.code(this.codes.notificationId(known), known.plan.length);
      // While the last message is not known as sent, its own code counts, and that of the one before.
      const isOwn = known.started?.send !== known.sends && this.codes.isEqual(own, code);
      if (isOwn || this.#callsOf(known.started) === undefined)
        return { kind, mac: this.codes.mac(known.id, code) };
      const verdict = verdictOf(await this.#callAboutCode(known, 'check', code));
      return verdict === undefined ? NO_ANSWER : { kind, verdict };
    };
    return this.#change(request, sent, { kind: 'checked', changeOf }, (_, state) =>
      state.status === 'expired' ? refused(createProblem('verification-ended')) : done(replyOf(state)),
    );
  }

  #resend(request: Request, sent: VerificationRequest): Promise<Outcome> {
    return this.#change(request, sent, { kind: 'sent' }, async (known, state) => {
      if (known.started?.send !== known.sends) await this.#callAboutCode(known, 'replace');
      return this.#answer(known, state);
    });
  }

  #cancel(request: Request, sent: VerificationRequest): Promise<Outcome> {
    return this.#change(request, sent, { kind: 'cancelled' }, async (known, state) => {
      // Its code is not asked for any more, so nothing depends on the provider.
      await this.#callAboutCode(known, 'cancel');
      return done(replyOf(state));
    });
  }

  async #get(_request: Request, sent: VerificationRequest): Promise<Outcome> {
    await this.log.caughtUp();
    const known = await this.#find(sent);
    if (known === undefined) return refused(createProblem('unknown-verification'));
    return done(replyOf(stateOf(known, this.#parts.clock.now())));
  }

  /** Writes an event and then answers, unless the request had its effect before or can have none. */
  async #change(
    request: Request,
    sent: VerificationRequest,
    change: Intended,
    answer: (known: Verification, state: VerificationState) => Outcome | Promise<Outcome>,
  ): Promise<Outcome> {
    const { clock } = this.#parts;
    const { kind } = change;
    const known = await this.#find(sent);
    if (known === undefined) return refused(createProblem('unknown-verification'));
    const requestId = this.#idOf(request);
    if (!known.answers.has(requestId)) {
      const refusal = refusalOf(known, kind, clock.now());
      if (refusal !== undefined) return refused(createProblem(refusal));
      const made = 'changeOf' in change ? await change.changeOf(known) : change;
      if ('code' in made) return refused(made);
      await this.log.write({ id: known.id, at: clock.now(), request: requestId, ...made });
    }
    const state = known.answers.get(requestId);
    if (state !== undefined) return answer(known, state);
    return refused(createProblem(refusalOf(known, kind, clock.now()) ?? 'verification-ended'));
  }

  async #find({ verificationId, caller = UPSTREAM }: VerificationRequest): Promise<Verification | undefined> {
    const { log } = this;
    const id = verificationId.toLowerCase();
    if (log.known.get(id) === undefined) await log.caughtUp();
    const known = log.known.get(id);
    return known?.caller === caller ? known : undefined;
  }

  /** Answers with the state after a start or resend. Sends the message again, in case a crash prevented it. */
  async #answer(known: Verification, after: VerificationState): Promise<Outcome> {
    const current = stateOf(known, this.#parts.clock.now());
    const isLast = after.sendsLeft === current.sendsLeft && current.status === 'pending';
    return done(replyOf(after), isLast ? [await this.#commandOf(known)] : []);
  }

  /** The command of the last message. Its id is the same however often it is made, so it is sent once. */
  async #commandOf(known: Verification): Promise<OutgoingMessage> {
    const { codec, commandTopic } = this.#parts;
    const { id, caller, plan, target, sends, expiresAt } = known;
    const notificationId = this.codes.notificationId(known);
    const command = commandTo(known);
    const type = target.channel === 'sms' ? 'SendSmsCommand' : 'SendEmailCommand';
    const { value, headers } = await codec.encode(type, { ...command, notificationId }, 'avro');
    return {
      topic: commandTopic(target.channel),
      key: this.receivers.keyOf(target.channel, target.receiver),
      value,
      headers: {
        ...headers,
        [HEADER.notificationId]: notificationId,
        [HEADER.commandProof]: this.#proofs.prove(notificationId, this.#proofs.hash(command)),
        [HEADER.deadline]: String(expiresAt),
        [HEADER.verification]: `${id}/${sends}`,
        [HEADER.codeDigits]: String(plan.length),
        [HEADER.quotaCaller]: caller,
      },
    };
  }

  /** The calls of a provider that makes codes. */
  #callsOf(started: Pick<CodeStarted, 'channel' | 'provider'> | undefined) {
    if (started === undefined) return undefined;
    const { channel, provider: name } = started;
    return this.#parts.providers.of(channel).find((provider) => provider.name === name)?.codes;
  }

  async #callAboutCode(
    known: Verification,
    name: 'check' | 'cancel' | 'replace',
    code = '',
  ): Promise<SendResult | undefined> {
    const { started, plan, target } = known;
    const call = this.#callsOf(started)?.[name];
    if (started === undefined || call === undefined) return undefined;
    const { channel, reference: id } = started;
    const command = commandTo({ plan, target: channel === target.channel ? target : plan });
    const message = { ...command, sender: undefined, message: code, id, channel } as Outbound;
    return call.send(message, new AbortController().signal, 'urgent');
  }

  /** The same for a repeated message, by its requester's correlation id, or without one by its place on the topic. */
  #idOf(request: Request): string {
    const { correlationId, message, type = '' } = request;
    const { topic, partition, offset, value } = message;
    const place = correlationId?.toString('latin1') ?? `${topic}/${partition}/${offset}`;
    return this.codes.idOf(requesterOf(request), place, type, value?.toString('latin1') ?? '');
  }
}

function handlerOf(
  reader: { read(body: unknown): ReadRequest<VerificationRequest> },
  handle: (request: Request, sent: VerificationRequest) => Promise<Outcome>,
): Handlers[string] {
  return (payload, request) => {
    const given = reader.read(payload);
    return given.kind === 'valid' ? handle(request, given.payload) : refusedBy(given);
  };
}

function refusedBy({ faults }: InvalidRequest): Outcome {
  return refused(createProblem('invalid-request', { errors: faults }));
}

/** What the result of a call says about a code; undefined if it says nothing. */
function verdictOf(result: SendResult | undefined): Verdict | undefined {
  if (result?.kind === 'sent') return 'right';
  if (result?.kind === 'permanent') return 'wrong';
  return result?.kind === 'transient' && result.isAboutReceiver === true ? 'ended' : undefined;
}

function replyOf(payload: VerificationState) {
  return { type: 'VerificationReply', payload };
}

/** The command without its id, with the placeholder of the code in its text. */
function commandTo({ plan, target }: Pick<Verification, 'plan' | 'target'>): SmsCommand | EmailCommand {
  // The sender is one of the first channel.
  const sender = target.channel === plan.channel ? plan.sender : undefined;
  const texts = plan.texts?.[target.channel];
  const common = {
    notificationId: undefined,
    sender,
    receiver: target.receiver,
    message: plan.message ?? '',
    ...texts,
  };
  if (target.channel === 'sms') return common;
  return { subject: SUBJECT, cc: [], bcc: [], contentType: 'text/plain', attachments: [], ...common };
}
