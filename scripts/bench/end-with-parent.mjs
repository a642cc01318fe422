/** Loaded before the programs of a benchmark (`node --import`): ends the process as soon as the benchmark has ended. */
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
