import { createHmac, timingSafeEqual } from 'node:crypto';

/** The content of a result id: with it any instance can check an id that another instance issued. */
interface ResultTicket {
  readonly correlationId: string;
  readonly issuedAtMs: number;
  /** Epoch milliseconds after which workers do not reply. */
  readonly deadlineMs: number;
  readonly owner: string;
  readonly action: string;
}

export type ResultIds = ReturnType<typeof createResultIds>;

/** Changes with the parts of an id, so that an id of another release is refused rather than misread. */
const VERSION = '1';
const SEPARATOR = '\n';
const CALLER_END = '.';
const MAC_BYTES = 16;
/** Every issued id is shorter; a longer one is refused without computing its HMAC. */
const MAX_ID_LENGTH = 480;

/** An id is the ticket in base64url, a dot and the HMAC of the ticket. `newId` makes the correlation ids unique. */
export function createResultIds(secret: string, newId: () => string) {
  const sign = (body: string): Buffer =>
    createHmac('sha256', secret).update(body).digest().subarray(0, MAC_BYTES);
  return {
    /** The correlation id has a hash of `caller`, so that each instance can limit the share of a caller. */
    issue: (ticket: Omit<ResultTicket, 'correlationId'>, caller: string) => {
      const correlationId = `${sign(caller).toString('base64url')}${CALLER_END}${newId()}`;
      const { issuedAtMs, deadlineMs, owner, action } = ticket;
      const parts = [VERSION, correlationId, issuedAtMs, deadlineMs, owner, action];
      const body = Buffer.from(parts.join(SEPARATOR)).toString('base64url');
      return { id: `${body}.${sign(body).toString('base64url')}`, correlationId };
    },
    /** The ticket, or undefined for an id that was not issued with this VERSION and this secret. */
    read: (id: string): ResultTicket | undefined => {
      const dot = id.indexOf('.');
      if (dot < 0 || id.length > MAX_ID_LENGTH) return undefined;
      const body = id.slice(0, dot);
      const mac = Buffer.from(id.slice(dot + 1), 'base64url');
      if (mac.length !== MAC_BYTES || !timingSafeEqual(mac, sign(body))) return undefined;
      const parts = Buffer.from(body, 'base64url').toString().split(SEPARATOR);
      const [version, correlationId = '', issuedAt, deadline, owner = '', action = ''] = parts;
      if (version !== VERSION) return undefined;
      return { correlationId, issuedAtMs: Number(issuedAt), deadlineMs: Number(deadline), owner, action };
    },
  };
}

/** The hash of the caller in a correlation id; empty if it has none. */
export function callerIn(correlationId: string): string {
  return correlationId.slice(0, Math.max(0, correlationId.indexOf(CALLER_END)));
}
