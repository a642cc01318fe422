/** The minimum version of Node; also in package.json (engines) and scripts/with-node.mjs. */
const MIN_NODE = [24, 15] as const;

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < MIN_NODE[0] || (major === MIN_NODE[0] && minor < MIN_NODE[1])) {
  process.stderr.write(
    `Node ${MIN_NODE.join('.')} or newer is required; this is ${process.versions.node}. ` +
      'Use `npm start`, which runs the Node of the project.\n',
  );
  process.exit(1);
}

const { runCommand } = await import('./run-process.ts');
await runCommand(process.argv.slice(2), process.env);
