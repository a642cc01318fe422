/** The program of a calculation thread. What was compiled once is read from a file, which halves the time of a start. */
import { enableCompileCache } from 'node:module';

enableCompileCache();
await import('./calculation-thread-tasks.ts');
