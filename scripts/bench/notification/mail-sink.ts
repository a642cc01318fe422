/**
 * Child process that runs a mail server on loopback (package smtp-server), which accepts and counts all messages.
 * Prints its port. For a request `{count}`, it waits for this many more messages and returns the messages per second
 * from the first to the last one.
 */
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';

const MS_PER_SECOND = 1_000;

let wanted = 0;
let taken = 0;
let firstAtMs = 0;

const server = new SMTPServer({
  authOptional: true,
  disabledCommands: ['AUTH', 'STARTTLS'],
  disableReverseLookup: true,
  onData: (stream, _session, callback) => {
    stream.resume();
    stream.once('end', () => {
      count();
      callback(null, 'taken');
    });
  },
});
/** A client that disconnects early does not matter here. */
server.on('error', () => undefined);
process.on('message', ({ count: asked }: { count: number }) => {
  wanted = asked;
  taken = 0;
});
process.on('SIGTERM', () => process.exit(0));
server.listen(0, '127.0.0.1', () => console.log(`PORT ${(server.server.address() as AddressInfo).port}`));

function count(): void {
  taken += 1;
  const nowMs = performance.now();
  if (taken === 1) firstAtMs = nowMs;
  if (taken === wanted) process.send?.(((taken - 1) * MS_PER_SECOND) / (nowMs - firstAtMs));
}
