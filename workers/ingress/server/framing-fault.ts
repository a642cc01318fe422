import type { IncomingMessage } from 'node:http';

const HOST = 'host';

/**
 * What is wrong with the frame of a request that Node's parser let pass, or undefined: each of these may be read
 * differently by a proxy in front, which is how requests get smuggled (RFC 9112 sections 3.2 and 6.1).
 */
export function framingFault(request: IncomingMessage): string | undefined {
  if (request.httpVersionMajor !== 1) return 'Send HTTP/1.1.';
  const coding = request.headers['transfer-encoding'];
  if (coding !== undefined) {
    if (coding.toLowerCase() !== 'chunked') return 'The only transfer coding is chunked.';
    if (request.httpVersionMinor === 0) return 'HTTP/1.0 has no transfer coding.';
  }
  const hosts = countHosts(request.rawHeaders);
  if (hosts > 1) return 'Send one Host header.';
  return hosts === 0 && request.httpVersionMinor > 0 ? 'Send a Host header.' : undefined;
}

/** Node keeps the first of several in `headers`, without a word. */
function countHosts(rawHeaders: readonly string[]): number {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at];
    if (name?.length === HOST.length && name.toLowerCase() === HOST) hosts++;
  }
  return hosts;
}
