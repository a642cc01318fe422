/** The entry of every process: checks Node, reads the configuration, starts the workers asked for, drains on a signal. */
import { enableCompileCache } from 'node:module';

/** Sources run as they are from this version on. */
const OLDEST_NODE = [24, 15] as const;

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor < OLDEST_NODE[1])) {
  process.stderr.write(
    `Node ${OLDEST_NODE.join('.')} or newer runs this; here is ${process.versions.node}. ` +
      'Start it through npm (`npm start`), which brings its own Node.\n',
  );
  process.exit(1);
}

enableCompileCache();
const { runCommand } = await import('./run-command.ts');
await runCommand(process.argv.slice(2), process.env);
