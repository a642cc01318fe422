/** The program of a calculation thread. Uses a compile cache on disk, which halves the startup time. */
import { enableCompileCache } from 'node:module';

enableCompileCache();
await import('./calculation-thread-tasks.ts');
