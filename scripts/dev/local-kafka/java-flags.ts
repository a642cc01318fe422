/** Heap of one broker or registry; 12 partitions and messages of 8 MiB fit well. */
const MAX_HEAP = '-Xmx384m';

/**
 * For programs that start often and run briefly: first-tier compiler and the simplest collector halve the start-up, and an
 * end that is seen beats a process that limps on without memory.
 */
export function javaFlags(temporaryFolder: string): string[] {
  return [
    MAX_HEAP,
    '-XX:TieredStopAtLevel=1',
    '-XX:+UseSerialGC',
    '-XX:-UsePerfData',
    '-XX:+ExitOnOutOfMemoryError',
    `-Djava.io.tmpdir=${temporaryFolder}`,
  ];
}
