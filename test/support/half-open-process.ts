/**
 * Child process that opens connections to the port and holds them: without a byte, with the beginning of the headers, or
 * with the beginning of a body, in turn. Answers each message of its parent, a number of further connections, with how many
 * have been opened, and an empty message with how many of all are still open.
 */
import { connect } from 'node:net';
import { answerTest } from './answer-test.ts';
import { ACTION_PATH } from './builders/schedule-call.ts';

const HEAD = `POST ${ACTION_PATH} HTTP/1.1\r\nHost: localhost\r\n`;
const BEGINNINGS = ['', HEAD, `${HEAD}Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{`];
/** Connections that are being opened at a time: fewer than the queue of a port holds. */
const AT_ONCE = 200;

const port = Number(process.argv[2]);
let openNow = 0;

answerTest(async (more: number) => {
  let opened = 0;
  const openSome = async (): Promise<void> => {
    while (opened < more) {
      opened += 1;
      await open(BEGINNINGS[opened % BEGINNINGS.length] ?? '');
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, openSome));
  return { opened, openNow };
});

function open(beginning: string): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const socket = connect(port, '127.0.0.1', () => {
    openNow += 1;
    socket.once('close', () => (openNow -= 1));
    socket.write(beginning);
    resolve();
  });
  socket.on('error', () => resolve()).resume();
  return promise;
}
