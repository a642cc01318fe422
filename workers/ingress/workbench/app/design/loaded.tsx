import type { ComponentChildren } from 'preact';
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { getJson } from '../api.ts';
import { token } from '../preferences.ts';
import { Failure, Loading } from './components.tsx';

export interface Loaded<Value> {
  /** The last loaded value; it stays during the next load and after a failed load. */
  readonly value: Value | undefined;
  /** Why the last load failed; undefined if it succeeded. */
  readonly error: unknown;
  readonly isLoading: boolean;
  readonly reload: () => void;
}

const FIRST_STATE = { value: undefined, error: undefined, isLoading: true };

/** Loads a value at once, after `delayMs` without a further change of `inputs`, and after a new token. Aborts outdated loads. */
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

/** Loads the JSON of an address, again after it changes. */
export function useJson<Reply>(address: string): Loaded<Reply> {
  return useLoaded((signal) => getJson<Reply>(address, { signal }), [address]);
}

/** Reloads `everyMs` after the end of each load, unless the page is hidden. Undefined: never. */
export function useReload({ isLoading, reload }: Loaded<unknown>, everyMs: number | undefined): void {
  useEffect(() => {
    if (isLoading || everyMs === undefined) return undefined;
    const timer = setInterval(() => document.hidden || reload(), everyMs);
    return () => clearInterval(timer);
  }, [isLoading, everyMs, reload]);
}

/** Shows a loaded value, or that it is being loaded, or why its load failed. */
export function WhenLoaded<Value>(props: {
  loaded: Loaded<Value>;
  children: (value: Value) => ComponentChildren;
  /** Replaces the usual notice of a failure, which it may contain. */
  failed?: (error: unknown, notice: ComponentChildren) => ComponentChildren;
}) {
  const { value, error, isLoading, reload } = props.loaded;
  if (error !== undefined && !isLoading) {
    const notice = <Failure error={error} onRetry={reload} />;
    return <>{props.failed === undefined ? notice : props.failed(error, notice)}</>;
  }
  return error !== undefined || value === undefined ? <Loading /> : <>{props.children(value)}</>;
}
