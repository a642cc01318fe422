import { createHash, createHmac, randomUUID, timingSafeEqual } from 'node:crypto';

/** What the address of a result says by itself, so that any instance can judge it without having issued it. */
export interface ResultTicket {
  /** Correlation id of the request on the log. */
  readonly correlationId: string;
  readonly issuedAtMs: number;
  /** After this nobody answers any more. */
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

/** Format of the id: changes when its parts change, so that an id of another build is unknown, not misread. */
const VERSION = '1';
const SEPARATOR = '\n';
/** Bytes of HMAC-SHA-256 kept: 128 bits, beyond guessing. */
const MAC_BYTES = 16;
/** Longer than any id that is issued; what is longer is not worth an HMAC. */
const MAX_ID_LENGTH = 480;

/** A caller as it is written into an id: recognisable, not readable. 96 bits tell all callers apart. */
export function ownerHash(subject: string): string {
  return createHash('sha256').update(subject).digest('base64url').slice(0, 16);
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
      return ticketOf(Buffer.from(body, 'base64url').toString().split(SEPARATOR));
    },
  };
}

function ticketOf(parts: readonly string[]): ResultTicket | undefined {
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
