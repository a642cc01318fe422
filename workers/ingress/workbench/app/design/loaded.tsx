import type { ComponentChildren } from 'preact';
import { useCallback, useEffect, useMemo, useState } from 'preact/hooks';
import { token } from '../preferences.ts';
import { Failure, Loading } from './components.tsx';

export type Loaded<Value> =
  | { readonly state: 'loading' }
  | { readonly state: 'loaded'; readonly value: Value }
  | { readonly state: 'failed'; readonly error: unknown };

/**
 * Loads a value when one of `inputs` changes and after a new token. Aborts a load that is no longer wanted. While it loads again, the
 * former value stays, and a former failure does not.
 */
export function useLoaded<Value>(
  load: (signal: AbortSignal) => Promise<Value>,
  inputs: readonly unknown[],
): readonly [Loaded<Value>, () => void] {
  const [last, setLast] = useState<{ readonly attempt: object; readonly loaded: Loaded<Value> }>();
  const [round, setRound] = useState(0);
  const attempt = useMemo(() => ({}), [...inputs, round, token.value]);
  useEffect(() => {
    const abort = new AbortController();
    const run = async (): Promise<void> => {
      try {
        const value = await load(abort.signal);
        if (!abort.signal.aborted) setLast({ attempt, loaded: { state: 'loaded', value } });
      } catch (error) {
        if (!abort.signal.aborted) setLast({ attempt, loaded: { state: 'failed', error } });
      }
    };
    void run();
    return () => abort.abort();
  }, [attempt]);
  const isCurrent = last !== undefined && (last.attempt === attempt || last.loaded.state === 'loaded');
  return [
    isCurrent ? last.loaded : { state: 'loading' },
    useCallback(() => setRound((current) => current + 1), []),
  ];
}

/** What a page shows of a loaded value; until then that it is being loaded, or why it cannot be. */
export function WhenLoaded<Value>(props: {
  loaded: readonly [Loaded<Value>, () => void];
  children: (value: Value) => ComponentChildren;
}) {
  const [loaded, retry] = props.loaded;
  if (loaded.state === 'loading') return <Loading />;
  if (loaded.state === 'failed') return <Failure error={loaded.error} onRetry={retry} />;
  return <>{props.children(loaded.value)}</>;
}
