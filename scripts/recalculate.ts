/** `npm run recalculate`: recalculates every contract of a portfolio through the topics of the workers. */
import { runRecalculate } from './recalculate/whole-run.ts';
import { listenToSignals } from './recalculate/interruption.ts';

/** A closed terminal does not stop the run, since the results are in the files. */
process.stderr.on('error', () => undefined);

const { env: environment, stdout, stderr } = process;
const code = await runRecalculate(process.argv.slice(2), {
  environment,
  stdout,
  stderr,
  // Stops immediately, also during a system call. The next run takes over the lock.
  interrupt: () =>
    listenToSignals(
      (line) => stderr.write(`${line}\n`),
      () => process.kill(process.pid, 'SIGKILL'),
    ),
});
// process.exit may block in a system call that never returns, such as a read of a pipe. Then a signal must end the process.
process.removeAllListeners('SIGINT');
process.removeAllListeners('SIGTERM');
process.exit(code);
