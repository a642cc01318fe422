import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ReadRequest } from '../../../shared/contract/json/request-contract.ts';
import { isPromise } from '../../../shared/messaging/sync-or-async.ts';
import type { EmailCommand, SmsCommand } from '../../../shared/notification/command.ts';
import { createProblem } from '../../../shared/platform/problem.ts';
import { bearerToken } from '../access/access.ts';
import { admit, countBody, type AdmissionDeps } from '../server/admission.ts';
import { acceptHeaders, readJson, refuseNotReady } from '../server/json-request.ts';
import { refuse, sendProblem } from '../server/send-answer.ts';
import type { TrafficGate } from '../server/traffic-gate.ts';
import type { ReadNotification } from './accept-notification.ts';
import type { BodyBudget } from './body-budget.ts';
import type { ChannelProfiles } from './channel-profiles.ts';
import type { ChannelContract } from './channels.ts';
import { readNotificationHeaders } from './notification-headers.ts';

export interface SendHandlerDeps extends AdmissionDeps {
  readonly gate: TrafficGate;
  readonly profiles: ChannelProfiles;
  /** Country of telephone numbers without a country code. */
  readonly defaultCountry: string | undefined;
  readonly bodyLimitBytes: number;
  readonly budget: BodyBudget;
  /** Takes the notification from here and answers it. */
  readonly accept: (notification: ReadNotification) => void;
}

/**
 * POST of a notification (interface 4.8): the checks in the order of their cost, then the body with all its faults at
 * once, then `accept`. The token comes in the header only (E2).
 */
export function createSendHandler(deps: SendHandlerDeps, contract: ChannelContract) {
  const { channel } = contract;
  return (request: FastifyRequest, reply: FastifyReply): void => {
    request.figures = `send-${channel}`;
    if (deps.gate.state() !== 'open') return refuseNotReady(reply, deps.gate);
    if (!acceptHeaders(deps.bodyLimitBytes, request, reply)) return;
    const credentials = { token: bearerToken(request.headers.authorization), userName: undefined };
    admit(deps, { request, reply, credentials }, (subject, caller) => {
      const headers = readNotificationHeaders(request.raw, contract);
      if (headers.kind === 'refused') return sendProblem(reply, headers.problem);
      const profile = deps.profiles.of(channel);
      if (profile === undefined) return refuse(reply, 'no-provider');
      const room = {
        limitBytes: deps.bodyLimitBytes,
        take: deps.budget.takerFor(reply),
        done: (bytes: number) => countBody(deps, caller, bytes),
      };
      readJson(room, request, reply, (body) => {
        const reading = { country: deps.defaultCountry, ...profile };
        const { idempotencyKey } = headers;
        const take = (read: ReadRequest<SmsCommand | EmailCommand>): void => {
          if (read.kind === 'invalid') {
            sendProblem(reply, createProblem(read.problem, { errors: read.faults }));
            return;
          }
          const { payload: command, warnings } = read;
          deps.accept({ request, reply, contract, subject, command, warnings, idempotencyKey });
        };
        const read = contract.reader.read(body, reading);
        if (isPromise(read)) read.then(take).catch((error: unknown) => reply.send(error));
        else take(read);
      });
    });
  };
}
