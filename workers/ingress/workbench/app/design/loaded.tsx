import type { ComponentChildren } from 'preact';
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { getJson } from '../api.ts';
import { token } from '../preferences.ts';
import { Failure, Loading } from './components.tsx';

export interface Loaded<Value> {
  /** The value of the last load that succeeded; undefined before that. It stays while a later load runs or fails. */
  readonly value: Value | undefined;
  /** Why the last load that ended failed; undefined if it succeeded or none has ended. */
  readonly error: unknown;
  readonly isLoading: boolean;
  readonly reload: () => void;
}

const FIRST_STATE = { value: undefined, error: undefined, isLoading: true };

/** Loads at once, and again `delayMs` after a change of `inputs` or the token, or a `reload`. Aborts older loads. */
export function useLoaded<Value>(
  load: (signal: AbortSignal) => Promise<Value>,
  inputs: readonly unknown[],
  delayMs = 0,
): Loaded<Value> {
  const [state, setState] = useState<Omit<Loaded<Value>, 'reload'>>(FIRST_STATE);
  const [round, setRound] = useState(0);
  const isFirst = useRef(true);
  useEffect(() => {
    const abort = new AbortController();
    const run = async (): Promise<void> => {
      try {
        const value = await load(abort.signal);
        if (!abort.signal.aborted) setState({ value, error: undefined, isLoading: false });
      } catch (error) {
        if (!abort.signal.aborted) setState(({ value }) => ({ value, error, isLoading: false }));
      }
    };
    setState((former) => ({ ...former, isLoading: true }));
    const timer = setTimeout(() => void run(), isFirst.current ? 0 : delayMs);
    isFirst.current = false;
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [...inputs, round, token.value]);
  return { ...state, reload: useCallback(() => setRound((current) => current + 1), []) };
}

/** Loads the JSON at an address, and again when the address changes. */
export function useJson<Reply>(address: string): Loaded<Reply> {
  return useLoaded((signal) => getJson<Reply>(address, { signal }), [address]);
}

/** Reloads `everyMs` after each load has ended, but not while the page is hidden; never if `everyMs` is undefined. */
export function useReload({ isLoading, reload }: Loaded<unknown>, everyMs: number | undefined): void {
  useEffect(() => {
    if (isLoading || everyMs === undefined) return undefined;
    const timer = setInterval(() => document.hidden || reload(), everyMs);
    return () => clearInterval(timer);
  }, [isLoading, everyMs, reload]);
}

/** Shows the value, or that it is loading, or why the last load failed. */
export function WhenLoaded<Value>(props: {
  loaded: Loaded<Value>;
  children: (value: Value) => ComponentChildren;
  /** Returns what to show after a failure instead of `notice`. The result may contain `notice`. */
  failed?: (error: unknown, notice: ComponentChildren) => ComponentChildren;
}) {
  const { value, error, isLoading, reload } = props.loaded;
  if (error !== undefined && !isLoading) {
    const notice = <Failure error={error} onRetry={reload} />;
    return <>{props.failed === undefined ? notice : props.failed(error, notice)}</>;
  }
  return error !== undefined || value === undefined ? <Loading /> : <>{props.children(value)}</>;
}
