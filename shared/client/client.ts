/** A typed client of the engine over HTTP, for browsers and Node. */
import { ACTION_NAMES, type ActionName, type ReplyOf, type RequestOf } from './actions.ts';
import { readContent, toAnswer, type Answer, type Received } from './answer.ts';
import { clientSystem, type ClientSystem } from './client-system.ts';
import { CALL_LIMITS, exchange, type CallOptions, type HttpCall, type HttpSettings } from './http-call.ts';
import { readServerEvents, type EventOptions } from './server-events.ts';
import type {
  CallInput,
  HttpMethod,
  DocumentedCall,
  EventPath,
  PathOf,
  DocumentedReply,
  Schemas,
  ServerEvent,
  TaggedPath,
} from './typed-call.ts';
import { askUntilReady } from './ask-until-ready.ts';

export type { ActionName, ReplyOf, RequestOf } from './actions.ts';
export type { Answer, AnswerWarning } from './answer.ts';
export { EngineError } from './engine-error.ts';
export type { ClientErrorCode, ProblemDocument } from './engine-error.ts';
export type { CallOptions } from './http-call.ts';
export type { EventOptions, StreamConnection } from './server-events.ts';
export type { EventPath, Schemas, ServerEvent } from './typed-call.ts';

export interface ClientOptions {
  /** Address of the ingress with its base path; by default the origin of the page. */
  readonly baseUrl?: string;
  /** Access token, or a function that returns the current one; it is called before each attempt. */
  readonly token?: string | (() => string | undefined | Promise<string | undefined>);
  /** Time limit of a call, repeats included, in milliseconds; 30 s by default. */
  readonly timeoutMs?: number;
  /** How often a request is sent at most; 4 by default. */
  readonly attempts?: number;
  /** Replaces the global `fetch`. */
  readonly fetch?: typeof fetch;
  /** Replaces `JSON.parse` for answers, for example by a parser that keeps all decimals of a number. */
  readonly parseJson?: (text: string) => unknown;
}

export interface NotificationOptions extends CallOptions {
  /** Identifies the notification when it is sent again; by default a new one, which the answer and errors contain. */
  readonly idempotencyKey?: string | undefined;
  /** `high` for one-time passwords and other messages that must not wait behind others. */
  readonly urgency?: 'very-low' | 'low' | 'normal' | 'high' | undefined;
}

/** The acceptance of a notification, with the key by which it can be sent again. */
export interface Accepted extends Answer<Schemas['AcceptedNotification']> {
  readonly idempotencyKey: string;
}

/** A request whose result can be fetched later, also by another process. */
export interface Submitted<Name extends ActionName> {
  readonly action: Name;
  readonly resultId: string;
}

/** One method for each action. */
type ActionMethods = {
  readonly [Name in keyof typeof ACTION_NAMES]: (
    request: RequestOf<Name>,
    options?: CallOptions,
  ) => Promise<Answer<ReplyOf<Name>>>;
};

/** What a generic call sends: parameters and body of the document, options of a call. */
type Input<One> = CallInput<One> &
  CallOptions & {
    /** Whether the request may be repeated; by default only with method `get`. */
    readonly canRepeat?: boolean;
  };
type InputArguments<One> =
  Partial<Input<One>> extends Input<One> ? [input?: Input<One>] : [input: Input<One>];
/**
 * Every method rejects with an EngineError, with the reason of the signal in its options, or with a TypeError if a header, such as
 * an Idempotency-Key, has characters beyond Latin-1.
 */
export interface EngineClient extends ActionMethods {
  /** Stores the request of an action without waiting for its result (`Prefer: respond-async`). */
  submit<Name extends ActionName>(
    action: Name,
    request: RequestOf<Name>,
    options?: CallOptions,
  ): Promise<Submitted<Name>>;
  /** Waits for the result of {@link submit}, at most for the time limit. */
  waitForResult<Name extends ActionName>(
    submitted: Submitted<Name>,
    options?: CallOptions,
  ): Promise<Answer<ReplyOf<Name>>>;
  /** Sends an SMS; resolves when it is stored. */
  sendSms(sms: Schemas['SendSms'], options?: NotificationOptions): Promise<Accepted>;
  /** Sends an e-mail; resolves when it is stored. */
  sendEmail(email: Schemas['SendEmail'], options?: NotificationOptions): Promise<Accepted>;
  /** Returns the status of a notification. */
  getNotification(notificationId: string, options?: CallOptions): Promise<Answer<Schemas['Notification']>>;
  /** Waits until a notification is sent, failed or parked, at most for the time limit. */
  waitForNotification(
    notificationId: string,
    options?: CallOptions,
  ): Promise<Answer<Schemas['Notification']>>;
  /** Calls any address of the OpenAPI document. */
  call<Method extends HttpMethod, Path extends PathOf<Method>>(
    method: Method,
    path: Path,
    ...input: InputArguments<DocumentedCall<Method, Path>>
  ): Promise<Answer<DocumentedReply<DocumentedCall<Method, Path>>>>;
  /** Calls an address again; undefined if its reply is still the one that came with this `etag`. */
  getIfChanged<Path extends TaggedPath>(
    path: Path,
    etag: string,
    ...input: InputArguments<DocumentedCall<'get', Path>>
  ): Promise<Answer<DocumentedReply<DocumentedCall<'get', Path>>> | undefined>;
  /** Yields the server-sent events of an address, over as many connections as it takes, until the caller leaves the loop. */
  events<Path extends EventPath>(
    path: Path,
    options?: EventOptions,
  ): AsyncGenerator<ServerEvent<Path>, undefined>;
}

const SECOND_MS = 1_000;
/** Where the answer does not say when to ask for a result again. */
const RESULT_DELAY_MS = 1_000;
/** Most notifications are sent within a second; the others wait for a retry. */
const FIRST_STATUS_DELAY_MS = 250;
const LONGEST_STATUS_DELAY_MS = 5_000;
const FINAL_STATUSES: ReadonlySet<string> = new Set(['sent', 'failed', 'parked']);

/** Creates a client. It opens no connection and keeps no state, so it needs no closing. `system` is for tests. */
export function createClient(options: ClientOptions = {}, system: ClientSystem = clientSystem): EngineClient {
  const settings: HttpSettings = {
    baseUrl: (options.baseUrl ?? '').replace(/\/+$/, ''),
    token: options.token,
    timeoutMs: options.timeoutMs ?? CALL_LIMITS.timeoutMs,
    attempts: options.attempts ?? CALL_LIMITS.attempts,
    parseJson: options.parseJson ?? ((text) => JSON.parse(text) as unknown),
    system: options.fetch === undefined ? system : { ...system, fetch: options.fetch },
  };
  const methods = Object.keys(ACTION_NAMES).map((name) => [
    name,
    async (request: unknown, callOptions: CallOptions = {}) => {
      const seconds = Math.floor((callOptions.timeoutMs ?? settings.timeoutMs) / SECOND_MS);
      const call = actionCall(name as ActionName, request, `wait=${Math.max(1, seconds)}`);
      return toAnswer(await send(settings, call, callOptions));
    },
  ]);
  return {
    ...(Object.fromEntries(methods) as ActionMethods),
    ...resultMethods(settings),
    ...notificationMethods(settings),
    ...genericMethods(settings),
  };
}

function resultMethods(settings: HttpSettings): Pick<EngineClient, 'submit' | 'waitForResult'> {
  return {
    submit: async (action, request, options = {}) => {
      const { body } = await send(settings, actionCall(action, request, 'respond-async'), options);
      return { action, resultId: (body as Schemas['PendingResult']).resultId };
    },
    waitForResult: async ({ resultId }, options = {}) => {
      const call = {
        method: 'GET',
        path: `/platapi/results/${encodeURIComponent(resultId)}`,
        canRepeat: true,
      };
      const ask = (asking: CallOptions): Promise<Received<unknown>> => send(settings, call, asking);
      return toAnswer(await askUntilReady(settings, options, ask, resultDelayMs));
    },
  };
}

function notificationMethods(
  settings: HttpSettings,
): Pick<EngineClient, 'sendSms' | 'sendEmail' | 'getNotification' | 'waitForNotification'> {
  const sendOn =
    (channel: string, number: string) =>
    async (body: unknown, options: NotificationOptions = {}): Promise<Accepted> => {
      const { idempotencyKey = settings.system.newId(), urgency } = options;
      const headers = {
        'x-communication-channel': number,
        'x-sender-id': 'platrealm',
        'idempotency-key': idempotencyKey,
        ...(urgency === undefined ? {} : { urgency }),
      };
      const path = `/api/notifications/v1/${channel}/send`;
      const call = {
        method: 'POST',
        path,
        headers,
        body: JSON.stringify(body),
        canRepeat: true,
        idempotencyKey,
      };
      return { ...toAnswer(await send(settings, call, options)), idempotencyKey };
    };
  const ask = (notificationId: string, options: CallOptions): Promise<Received<unknown>> => {
    const path = `/api/notifications/v1/${encodeURIComponent(notificationId)}`;
    return send(settings, { method: 'GET', path, canRepeat: true }, options);
  };
  return {
    sendSms: sendOn('sms', '1'),
    sendEmail: sendOn('email', '2'),
    getNotification: async (id, options = {}) => toAnswer(await ask(id, options)),
    waitForNotification: async (id, options = {}) => {
      return toAnswer(await askUntilReady(settings, options, (asking) => ask(id, asking), statusDelayMs));
    },
  };
}

function resultDelayMs({ response: { status, headers } }: Received<unknown>): number | undefined {
  return status === 202 ? Number(headers.get('retry-after')) * SECOND_MS || RESULT_DELAY_MS : undefined;
}

function statusDelayMs({ body }: Received<unknown>, questions: number): number | undefined {
  if (FINAL_STATUSES.has((body as Schemas['Notification']).status)) return undefined;
  return Math.min(FIRST_STATUS_DELAY_MS * 2 ** (questions - 1), LONGEST_STATUS_DELAY_MS);
}

function genericMethods(settings: HttpSettings): Pick<EngineClient, 'call' | 'getIfChanged' | 'events'> {
  return {
    call: async (method, path, ...[input = {}]) =>
      toAnswer(await send(settings, genericCall(method, path, input), input as CallOptions)),
    getIfChanged: async (path, etag, ...[input = {}]) => {
      const call = { ...genericCall('get', path, input), etag };
      const received = await send(settings, call, input);
      return received.body === undefined ? undefined : toAnswer(received);
    },
    events: <Path extends EventPath>(path: Path, options: EventOptions = {}) =>
      readServerEvents(settings, genericCall('get', path, {}), options) as AsyncGenerator<
        ServerEvent<Path>,
        undefined
      >,
  };
}

function send(settings: HttpSettings, call: HttpCall, options: CallOptions): Promise<Received<unknown>> {
  return exchange(settings, call, options, (response) => readContent(response, settings.parseJson));
}

/** Calculations and look-ups have no effect, so they can always be repeated. */
function actionCall(action: ActionName, request: unknown, prefer: string): HttpCall {
  const path = `/platapi/automation-processors/actions/${ACTION_NAMES[action]}`;
  return { method: 'POST', path, headers: { prefer }, body: JSON.stringify(request), canRepeat: true };
}

type Parameter = string | number | boolean | undefined;
type Parameters = Readonly<Record<string, Parameter | readonly Parameter[]>>;
interface GenericInput {
  readonly path?: Parameters;
  readonly query?: Parameters;
  readonly header?: Parameters;
  readonly body?: unknown;
  readonly canRepeat?: boolean;
}

function genericCall(method: HttpMethod, path: string, input: object): HttpCall {
  const {
    path: names = {},
    query = {},
    header = {},
    body,
    canRepeat = method === 'get',
  } = input as GenericInput;
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(names[name])));
  const search = new URLSearchParams(sentEntries(query)).toString();
  const headers = Object.fromEntries(sentEntries(header).map(([name, value]) => [name.toLowerCase(), value]));
  return {
    method: method.toUpperCase(),
    path: search === '' ? filled : `${filled}?${search}`,
    headers,
    body: body === undefined ? undefined : JSON.stringify(body),
    canRepeat,
    idempotencyKey: headers['idempotency-key'],
  };
}

/** Parameters that are present; a list is sent as several parameters of the name. */
function sentEntries(parameters: Parameters): [string, string][] {
  return Object.entries(parameters).flatMap(([name, value]) =>
    [value].flat().flatMap((one): [string, string][] => (one === undefined ? [] : [[name, String(one)]])),
  );
}
