/**
 * Child process that runs an HTTP server on loopback, which accepts and counts all requests, and answers each as soon as its
 * body is complete. Prints its port.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { countReceived } from './sink-count.ts';

const ANSWER = JSON.stringify({ status: 'accepted' });

const count = countReceived();
const server = createServer((request, response) => {
  request.resume();
  request.once('end', () => {
    count();
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': ANSWER.length });
    response.end(ANSWER);
  });
});
server.listen(0, '127.0.0.1', () => console.log(`PORT ${(server.address() as AddressInfo).port}`));
