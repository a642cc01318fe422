/**
 * The entry point for any version of Node: `node workers/main.mjs [WORKER ...]`. An old Node cannot parse TypeScript,
 * so this file is JavaScript. It runs main.ts, if need be with the Node of the project, or prints the version needed.
 */
import { fileURLToPath } from 'node:url';

process.argv.splice(2, 0, fileURLToPath(new URL('main.ts', import.meta.url)));
await import('../scripts/with-node.mjs');
