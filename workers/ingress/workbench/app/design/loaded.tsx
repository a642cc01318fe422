import type { ComponentChildren } from 'preact';
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { getJson } from '../api.ts';
import { token } from '../preferences.ts';
import { Failure, Loading } from './components.tsx';

export interface Loaded<Value> {
  /** The last one that could be loaded; it stays while the next one is loaded. */
  readonly value: Value | undefined;
  /** Why the last load failed; undefined if it did not. */
  readonly error: unknown;
  readonly isLoading: boolean;
  readonly reload: () => void;
}

/** Loads a value when one of `inputs` has changed for `delayMs`, and after a new token. Aborts a load that is no longer wanted. */
export function useLoaded<Value>(
  load: (signal: AbortSignal) => Promise<Value>,
  inputs: readonly unknown[],
  delayMs = 0,
): Loaded<Value> {
  const [state, setState] = useState<Omit<Loaded<Value>, 'reload'>>({
    value: undefined,
    error: undefined,
    isLoading: true,
  });
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

/** Loads an address of the engine, and another one when it changes. */
export function useJson<Reply>(address: string): Loaded<Reply> {
  return useLoaded((signal) => getJson<Reply>(address, { signal }), [address]);
}

/** Loads again `everyMs` after a load has ended, while the page is seen; undefined: never. */
export function useReload({ isLoading, reload }: Loaded<unknown>, everyMs: number | undefined): void {
  useEffect(() => {
    if (isLoading || everyMs === undefined) return undefined;
    const timer = setInterval(() => document.hidden || reload(), everyMs);
    return () => clearInterval(timer);
  }, [isLoading, everyMs, reload]);
}

/** What a page shows of a loaded value; until then that it is being loaded, or why it cannot be. */
export function WhenLoaded<Value>(props: {
  loaded: Loaded<Value>;
  children: (value: Value) => ComponentChildren;
  /** What is shown of a failure, in place of the usual notice or with it. */
  failed?: (error: unknown, notice: ComponentChildren) => ComponentChildren;
}) {
  const { value, error, isLoading, reload } = props.loaded;
  if (error !== undefined && !isLoading) {
    const notice = <Failure error={error} onRetry={reload} />;
    return <>{props.failed === undefined ? notice : props.failed(error, notice)}</>;
  }
  return error !== undefined || value === undefined ? <Loading /> : <>{props.children(value)}</>;
}
