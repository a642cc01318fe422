/**
 * Child process that runs a mail server on loopback (package smtp-server), which accepts and counts all messages.
 * Prints its port.
 */
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';
import { countReceived } from './sink-count.ts';

const count = countReceived();
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
server.listen(0, '127.0.0.1', () => console.log(`PORT ${(server.server.address() as AddressInfo).port}`));
