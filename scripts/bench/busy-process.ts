/** Child process that keeps a core busy until its parent ends. */

/** Between two slices the process notices that its parent has ended. */
const SLICE_MS = 20;

process.on('disconnect', () => process.exit(0));
spin();

function spin(): void {
  const endAt = performance.now() + SLICE_MS;
  while (performance.now() < endAt);
  setImmediate(spin);
}
