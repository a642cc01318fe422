import type { Codec, Decoded } from '../codec.ts';
import { isPromise } from '../sync-or-async.ts';
import { refused, type Outcome } from '../outcome.ts';
import type { Policy } from './policy.ts';
import type { Request } from './request.ts';

/** Decodes the value; bytes that cannot be read are refused like any other bad request. */
export function decodeSafely(codec: Codec): Policy {
  return (request) => {
    const decoded = codec.decode(request.message);
    return isPromise(decoded) ? decoded.then((late) => accept(request, late)) : accept(request, decoded);
  };
}

function accept(request: Request, decoded: Decoded): Outcome | undefined {
  request.format = decoded.format;
  if (decoded.kind === 'undecodable') return refused(decoded.problem);
  request.decoded = decoded;
  return undefined;
}
