import type { IncomingMessage } from 'node:http';

export type ReadBody =
  | { readonly kind: 'read'; readonly bytes: Buffer }
  | { readonly kind: 'too-large' }
  /** There is no memory for it at the moment. */
  | { readonly kind: 'no-room' }
  /** The client went away; there is nobody to answer. */
  | { readonly kind: 'aborted' };

const NOTHING = Buffer.alloc(0);

/** The announced length in bytes; absent with chunked bodies. Node has refused anything that is not a number. */
export function announcedLength(request: IncomingMessage): number | undefined {
  const length = request.headers['content-length'];
  return length === undefined ? undefined : Number(length);
}

/** Whether the headers announce a body of at least one byte. */
export function announcesBody(request: IncomingMessage): boolean {
  return request.headers['transfer-encoding'] !== undefined || (announcedLength(request) ?? 0) > 0;
}

/** What a body may take. */
export interface BodyRoom {
  readonly limitBytes: number;
  /** Asked for every piece that comes; false: there is no room for it. Absent: there always is. */
  readonly take?: (bytes: number) => boolean;
  /** Told of the length of a body that was read whole, after what was done with it at once. */
  readonly done?: (bytes: number) => void;
}

/**
 * Reads a body of at most `limitBytes` and calls `done` once. A longer one is refused before reading when its length
 * is announced, else as soon as the limit is passed. By callback: the hot path pays for no promise.
 */
export function readBody(
  request: IncomingMessage,
  { limitBytes, take = roomForAll }: BodyRoom,
  done: (outcome: ReadBody) => void,
): void {
  if ((announcedLength(request) ?? 0) > limitBytes) {
    done({ kind: 'too-large' });
    return;
  }
  const chunks: Buffer[] = [];
  let length = 0;
  const finish = (outcome: ReadBody): void => {
    request.off('data', onData).off('end', onEnd).off('close', onClose);
    done(outcome);
  };
  const onData = (chunk: Buffer): void => {
    length += chunk.length;
    if (length > limitBytes) finish({ kind: 'too-large' });
    else if (!take(chunk.length)) finish({ kind: 'no-room' });
    else chunks.push(chunk);
  };
  const onEnd = (): void => {
    const [first = NOTHING] = chunks;
    finish({ kind: 'read', bytes: chunks.length <= 1 ? first : Buffer.concat(chunks, length) });
  };
  const onClose = (): void => finish({ kind: 'aborted' });
  request.on('data', onData).on('end', onEnd).on('close', onClose);
}

function roomForAll(): boolean {
  return true;
}
