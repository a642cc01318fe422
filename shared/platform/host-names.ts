import type { IncomingHttpHeaders } from 'node:http';
import { createProblem, type Fault, type Problem } from './problem.ts';

/** Whether a host is this machine: 127.0.0.0/8, ::1 with or without brackets, and localhost. */
export function isLoopback(host: string): boolean {
  return /^(?:localhost|127(?:\.\d{1,3}){3}|::1|\[::1\])$/i.test(host);
}

export interface ServedNames {
  readonly host: string;
  /** Names and addresses other than loopback, without ports, in lower case. */
  readonly allowedHosts: readonly string[];
}

/** Returns the problem of a request whose Host or Origin is not a name of the server, or undefined. */
type CheckNames = (headers: IncomingHttpHeaders) => Problem | undefined;

const HOST = /^([^[\]:]+|\[[^[\]]+\])(?::\d*)?$/;
const ORIGIN = /^https?:\/\//i;

/**
 * Checks Host and Origin against DNS rebinding, by which a page of another site reaches a server on loopback. Accepts
 * loopback names and `allowedHosts`, with any port, and a missing Host. A server on another address without
 * `allowedHosts` accepts all names.
 */
export function createNameCheck({ host, allowedHosts }: ServedNames): CheckNames {
  if (!isLoopback(host) && allowedHosts.length === 0) return () => undefined;
  const allowed = new Set(allowedHosts);
  const isOwn = (text: string): boolean => {
    const name = HOST.exec(text)?.[1]?.toLowerCase();
    return name !== undefined && (isLoopback(name) || allowed.has(name));
  };
  return ({ host: named, origin }) => {
    const faults: Fault[] = [];
    if (named !== undefined && !isOwn(named)) faults.push(foreign('Host'));
    if (origin !== undefined && !isOwn(origin.replace(ORIGIN, ''))) faults.push(foreign('Origin'));
    return faults.length === 0 ? undefined : createProblem('forbidden', { detail: DETAIL, errors: faults });
  };
}

const DETAIL =
  'Send the request to localhost, 127.0.0.1 or [::1]. Further names of a server behind a reverse proxy are ' +
  'configured by the setting ALLOWED_HOSTS.';

function foreign(path: 'Host' | 'Origin'): Fault {
  return { path, code: 'unknown-value', message: 'must be a loopback name or one of ALLOWED_HOSTS' };
}
