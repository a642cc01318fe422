import type { ServerResponse } from 'node:http';

/** The answers that are not out yet. */
export interface OpenAnswers {
  add(response: ServerResponse): void;
  delete(response: ServerResponse): void;
  /** They are the last ones on their connections, and say so: a client would send its next request into a reset. */
  makeLast(): void;
}

export function createOpenAnswers(): OpenAnswers {
  const open = new Set<ServerResponse>();
  return {
    add: (response) => {
      open.add(response);
    },
    delete: (response) => {
      open.delete(response);
    },
    makeLast: () => {
      for (const response of open) response.shouldKeepAlive = false;
    },
  };
}
