import { createHmac, randomBytes, randomUUID, timingSafeEqual } from 'node:crypto';
import { ConfigError } from '../../../shared/platform/errors.ts';

/** The content of a result id, so that any instance can check it without having issued it. */
export interface ResultTicket {
  /** Correlation id of the request on the log. */
  readonly correlationId: string;
  readonly issuedAtMs: number;
  /** Workers do not reply after this, in epoch milliseconds. */
  readonly deadlineMs: number;
  /** Hash of the caller who may read the result. */
  readonly owner: string;
  /** Canonical name of the action. */
  readonly action: string;
}

/** Issues and reads the ids of results. */
export interface ResultIds {
  issue(ticket: Omit<ResultTicket, 'correlationId'>): { readonly id: string; readonly correlationId: string };
  /** The ticket, or undefined for an id that was never issued with this secret. */
  read(id: string): ResultTicket | undefined;
}

/** Format of the id: changes with its parts, so that an id of another release is unknown, not misread. */
const VERSION = '1';
const SEPARATOR = '\n';
/** Bytes of HMAC-SHA-256 kept: 128 bits, beyond guessing. */
const MAC_BYTES = 16;
/** Longer than any id that is issued; a longer one is refused without an HMAC. */
const MAX_ID_LENGTH = 480;
/** Protects nothing: with access control off every caller may read every result. */
const OPEN_SECRET = 'results of an instance without access control';
const SECRET_BYTES = 32;

/**
 * The secret that result ids are signed with. All instances of a cluster need the same one; it has to be configured
 * (RESULT_ID_SECRET) where callers are distinguished and results outlive the process, else ConfigError.
 */
export function chooseResultSecret(options: {
  readonly configured: string | undefined;
  readonly accessRequired: boolean;
  readonly brokerKind: 'embedded' | 'kafka';
}): string {
  if (options.configured !== undefined) return options.configured;
  if (!options.accessRequired) return OPEN_SECRET;
  // The results of an embedded broker end with this process, and no other instance reads them.
  if (options.brokerKind === 'embedded') return randomBytes(SECRET_BYTES).toString('base64');
  throw new ConfigError(
    'with access control on Kafka set RESULT_ID_SECRET, the same for all ingress instances',
  );
}

/** Ids are the ticket in base64url followed by an HMAC over it; the secret is shared by all instances. */
export function createResultIds(secret: string): ResultIds {
  const sign = (body: string): Buffer =>
    createHmac('sha256', secret).update(body).digest().subarray(0, MAC_BYTES);
  return {
    issue: (ticket) => {
      const correlationId = randomUUID();
      const { issuedAtMs, deadlineMs, owner, action } = ticket;
      const parts = [VERSION, correlationId, issuedAtMs, deadlineMs, owner, action];
      const body = Buffer.from(parts.join(SEPARATOR)).toString('base64url');
      return { id: `${body}.${sign(body).toString('base64url')}`, correlationId };
    },
    read: (id) => {
      const dot = id.indexOf('.');
      if (dot < 0 || id.length > MAX_ID_LENGTH) return undefined;
      const body = id.slice(0, dot);
      const mac = Buffer.from(id.slice(dot + 1), 'base64url');
      if (mac.length !== MAC_BYTES || !timingSafeEqual(mac, sign(body))) return undefined;
      return parseTicket(Buffer.from(body, 'base64url').toString().split(SEPARATOR));
    },
  };
}

function parseTicket(parts: readonly string[]): ResultTicket | undefined {
  const [version, correlationId = '', issuedAt, deadline, owner = '', action = ''] = parts;
  if (version !== VERSION) return undefined;
  return {
    correlationId,
    issuedAtMs: Number(issuedAt),
    deadlineMs: Number(deadline),
    owner,
    action,
  };
}
