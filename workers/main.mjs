/**
 * The entry point for any version of Node: `node workers/main.mjs [WORKER ...]`. An old Node cannot parse TypeScript, so this
 * file is plain JavaScript. It runs main.ts with the installed Node of the project, or prints which version is needed.
 */
import { fileURLToPath } from 'node:url';

process.argv.splice(2, 0, fileURLToPath(new URL('main.ts', import.meta.url)));
await import('../scripts/with-node.mjs');
