/** `npm run recalculate`: recalculates a portfolio on the schedule workers or, without Kafka, in this process. */
import { runRecalculate } from './recalculate/whole-run.ts';
import { listenToSignals } from './recalculate/interruption.ts';

/** A closed terminal makes standard error fail. The run continues, since its results are in files. */
process.stderr.on('error', () => undefined);

const { env: environment, stdout, stderr } = process;
const code = await runRecalculate(process.argv.slice(2), {
  environment,
  stdout,
  stderr,
  // SIGKILL works even during a system call. The checkpoint's lock ends with the process, so --resume works.
  interrupt: () =>
    listenToSignals(
      (line) => stderr.write(`${line}\n`),
      () => process.kill(process.pid, 'SIGKILL'),
    ),
});
// process.exit may block forever while a pipe is read. Without these listeners a signal still ends the process.
process.removeAllListeners('SIGINT');
process.removeAllListeners('SIGTERM');
process.exit(code);
