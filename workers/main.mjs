/**
 * The entry for a Node of any version: `node workers/main.mjs [WORKER ...]`. A Node that cannot read TypeScript fails on
 * main.ts before a line of it runs, so this file is plain JavaScript and starts main.ts on the Node that the project
 * brings, or says which one is needed.
 */
import { fileURLToPath } from 'node:url';

process.argv.splice(2, 0, fileURLToPath(new URL('main.ts', import.meta.url)));
await import('../scripts/with-node.mjs');
