/**
 * A coordinator that loads or moves is ready within this time, also after a restart of its broker. Metadata names a dead broker
 * as the coordinator until its session with the cluster ends (broker.session.timeout.ms, 9 s by default). Its successor
 * refuses members until the dead broker no longer counts as a replica of the log of groups; if that was the active controller too,
 * the request to remove it may first time out (controller.socket.timeout.ms, 30 s by default).
 */
export const COORDINATOR_MS = 45_000;
