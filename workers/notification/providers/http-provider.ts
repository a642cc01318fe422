import type { Outbound } from '../../../shared/notification/notification-command.ts';
import {
  fillText,
  fillUrl,
  placeholdersOf,
  placeholdersOfText,
  sampleUrl,
  urlPlaceholders,
  type Placeholder,
} from '../../../shared/notification/payload-template.ts';
import type { Provider } from '../../../shared/notification/provider.ts';
import type { ProviderEntry } from '../../../shared/notification/provider-configuration.ts';
import {
  authenticationKind,
  type ConnectorSettings,
  DEFAULT_CONNECTOR,
  type ProviderCredentials,
} from '../../../shared/notification/provider-settings.ts';
import type { SystemPorts } from '../../../shared/platform/system-ports.ts';
import { assertNever } from '../../../shared/platform/errors.ts';
import { classifyHttpResponse } from './classify-http-response.ts';
import { encodePayload, renderPayload, type MessageValues, messageValues } from './http-payload.ts';
import { basicAuthorization, createHttpCaller, type HttpRequest } from './http-call.ts';

type Connection = ReturnType<typeof prepareConnection>;

/** A configured provider (N1). Failures before the first byte are transient, later ones without response unknown. */
export function createHttpConnector(
  entry: ProviderEntry,
  deps: Pick<SystemPorts, 'clock'> & { readonly timeoutMs: number },
): Provider {
  const connection = prepareConnection(entry);
  const { connector, credentials } = connection;
  const given = [...Object.values(credentials), ...Object.values(connector.headers)];
  // Secrets are never passed on: some providers repeat a key that they reject.
  const secrets = given.filter((value) => value !== undefined);
  const http = createHttpCaller({
    origin: sampleUrl(connection.url)?.origin ?? '',
    timeoutMs: Math.min(entry.settings.limits.timeoutMs ?? deps.timeoutMs, deps.timeoutMs),
    connections: connector.connections,
    ca: connector.tls?.ca,
  });
  const callOf = (name: keyof ProviderEntry['codes']) =>
    entry.codes[name] && createHttpConnector({ ...entry, ...entry.codes[name] }, deps);
  const [check, cancel, replace] = [callOf('check'), callOf('cancel'), callOf('replace')];
  const inUrl = urlPlaceholders(connection.url);
  const isUrlOfMessage = inUrl.includes('receiver') || inUrl.includes('sender');
  return {
    name: entry.name,
    channel: entry.channel,
    isIdempotent: connector.idempotency !== undefined,
    concurrency: connector.connections,
    codes: check && { check, cancel, replace },
    send: async (message, signal, priority) => {
      // No attempt will send a message that cannot be encoded.
      const request = await buildRequest(connection, message).catch(() => 'message-unwritable');
      if (typeof request === 'string') return { kind: 'permanent', code: request };
      const outcome = await http.call(request, signal, priority);
      if (outcome.kind !== 'response') return outcome;
      return classifyHttpResponse(outcome.response, connector, {
        nowMs: deps.clock.now(),
        sensitive: { message, secrets },
        isUrlOfMessage,
      });
    },
    close: async () => {
      await Promise.all([http.close(), check?.close(), cancel?.close(), replace?.close()]);
    },
  };
}

function prepareConnection({ settings, template = {}, defaultSender }: ProviderEntry) {
  const { url = '', authentication: credentials, connector = DEFAULT_CONNECTOR } = settings;
  const headers = Object.entries(connector.headers);
  const inHeaders = headers.flatMap(([, text]) => placeholdersOfText(text));
  const placeholders = new Set([...placeholdersOf(template), ...inHeaders]);
  return { url, template, headers, placeholders, connector, credentials, defaultSender };
}

/** Returns the request, or the code of the reason why the message cannot be sent. */
async function buildRequest(connection: Connection, message: Outbound): Promise<HttpRequest | string> {
  const { connector } = connection;
  const values = await messageValues(message, { ...connector, defaultSender: connection.defaultSender });
  const unsupported = unsupportedPart(connection, message, values);
  if (unsupported !== undefined) return unsupported;
  const authentication = authenticateRequest(connector, connection.credentials);
  const { member, header } = connector.idempotency ?? {};
  const rendered = renderPayload(connection.template, values) ?? {};
  const payload = {
    ...(rendered as Readonly<Record<string, string>>),
    ...authentication.fields,
    ...(member === undefined ? {} : { [member]: message.id }),
  };
  const { contentType, body, query } = await encodePayload(payload, connector.encoding);
  const path = fillPath(connection, values, query);
  if (path === undefined) return 'value-unfit-for-address';
  const headers = {
    accept: 'application/json',
    ...Object.fromEntries(
      connection.headers.map(([name, text]) => [
        name.toLowerCase(),
        fillText(text, (placeholder) => encodeForHeader(values.texts.get(placeholder))),
      ]),
    ),
    ...authentication.headers,
    ...(contentType === undefined ? {} : { 'content-type': contentType }),
    ...(header === undefined ? {} : { [header.toLowerCase()]: message.id }),
  };
  return { method: connector.method, path, headers, body };
}

/** Returns the code for a part of the message that the template has no place for, so that none is dropped silently. */
function unsupportedPart(
  { placeholders, connector, url, defaultSender }: Connection,
  message: Outbound,
  values: MessageValues,
): string | undefined {
  const has = (...names: readonly Placeholder[]): boolean => names.some((name) => placeholders.has(name));
  const hasSender = has('SENDER', 'SENDER_ADDRESS') || urlPlaceholders(url).includes('sender');
  const { sender } = message;
  if (hasSender && !values.texts.has('SENDER')) return 'sender-missing';
  if (!hasSender && sender !== undefined && sender !== defaultSender) return 'sender-unsupported';
  if (values.cc.length > 0 && !has('CC')) return 'cc-unsupported';
  if (values.bcc.length > 0 && !has('BCC')) return 'bcc-unsupported';
  if (values.files.length > 0 && !has('ATTACHMENT', 'ATTACHMENT_CONTENT')) return 'attachments-unsupported';
  if (connector.textByProvider) return undefined;
  const hasLink = has('LIST_UNSUBSCRIBE') && has('LIST_UNSUBSCRIBE_POST');
  if (values.texts.has('LIST_UNSUBSCRIBE') && !hasLink) return 'unsubscribe-unsupported';
  const isHtml = values.texts.has('HTML');
  const hasText = isHtml ? has('HTML') || (has('MESSAGE') && has('CONTENT_TYPE')) : has('MESSAGE', 'TEXT');
  if (!hasText) return 'content-type-unsupported';
  return values.texts.has('SUBJECT') && !has('SUBJECT') ? 'subject-unsupported' : undefined;
}

function fillPath(
  { connector, url, credentials }: Connection,
  { texts }: MessageValues,
  query: string,
): string | undefined {
  const filled = fillUrl(url, {
    ...connector.parameters,
    sender: texts.get('SENDER'),
    receiver: texts.get('RECEIVER'),
    id: texts.get('ID'),
    username: credentials.username,
  });
  if (filled === undefined) return undefined;
  const path = filled.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?]*/i, '') || '/';
  const rooted = path.startsWith('/') ? path : `/${path}`;
  if (query === '') return rooted;
  return `${rooted}${rooted.includes('?') ? '&' : '?'}${query}`;
}

/** Percent-encodes `%` and all characters except visible ASCII and blanks. */
function encodeForHeader(value: string | undefined): string | undefined {
  return value?.replaceAll(/[^\x20-\x24\x26-\x7e]+/g, encodeURIComponent);
}

function authenticateRequest(
  connector: ConnectorSettings,
  credentials: ProviderCredentials,
): Readonly<Partial<Record<'headers' | 'fields', Readonly<Record<string, string>>>>> {
  const { key = '' } = credentials;
  const { prefix, header = '', members = {} } = connector.authentication ?? {};
  const kind = authenticationKind(connector, credentials);
  switch (kind) {
    case 'none':
      return {};
    case 'basic':
      return { headers: { authorization: basicAuthorization(credentials) } };
    case 'bearer':
      return { headers: { authorization: `Bearer ${key}` } };
    case 'prefix':
      return { headers: { authorization: `${prefix ?? ''} ${key}` } };
    case 'header':
      return { headers: { [header.toLowerCase()]: prefix === undefined ? key : `${prefix} ${key}` } };
    case 'body': {
      const fields = Object.entries(members).map(([name, which]) => [name, credentials[which] ?? '']);
      return { fields: Object.fromEntries(fields) };
    }
    default:
      return assertNever(kind);
  }
}
