/** Does the tasks of one name one after another; those of different names do not wait for each other. */
export interface OneAtATime {
  /** Calls `task`, at once or when the former ones of the name are done; it calls `done` once, whatever becomes of it. */
  run(name: string, task: (done: () => void) => void): void;
}

/** Bounded by its callers: each waiting task is an open connection. */
export function createOneAtATime(): OneAtATime {
  const waiting = new Map<string, ((done: () => void) => void)[]>();
  const next = (name: string): void => {
    const queue = waiting.get(name);
    const task = queue?.shift();
    if (task === undefined) waiting.delete(name);
    else task(() => next(name));
  };
  return {
    run: (name, task) => {
      const queue = waiting.get(name);
      if (queue !== undefined) {
        queue.push(task);
        return;
      }
      waiting.set(name, []);
      task(() => next(name));
    },
  };
}
