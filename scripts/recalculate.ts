/** `npm run recalculate`: recalculates every contract of a portfolio through the topics of the workers. */
import { runRecalculate } from './recalculate/exit-code.ts';
import { listenToSignals } from './recalculate/interruption.ts';

/** A closed terminal does not stop the run, since the results are in the files. */
process.stderr.on('error', () => undefined);

const { env: environment, stdout, stderr } = process;
exit(
  await runRecalculate(process.argv.slice(2), {
    environment,
    stdout,
    stderr,
    interrupt: () => listenToSignals((line) => stderr.write(`${line}\n`), killThis),
  }),
);

/** process.exit may block in a system call that never returns, such as a write to a full pipe; a signal stops it. */
function exit(code: number): never {
  process.removeAllListeners('SIGINT');
  process.removeAllListeners('SIGTERM');
  process.exit(code);
}

function killThis(): void {
  process.kill(process.pid, 'SIGKILL');
}
