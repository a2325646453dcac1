import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { ProblemNote } from "./problem";

/** Something that is read from the API, and read again. What was read before stays while the next is on its way. */
export interface Loaded<T> {
  value: T | undefined;
  error: unknown;
  isLoading: boolean;
  again(): void;
}

/**
 * @param read is called when `key` changes, and with `again`
 * @param everyMs read again after this time, while the page is seen
 */
export function useLoaded<T>(key: string, read: (signal: AbortSignal) => Promise<T>, everyMs?: number): Loaded<T> {
  const [state, setState] = useState<{ key: string; value?: T; error?: unknown; isLoading: boolean }>({
    key,
    isLoading: true,
  });
  const [round, setRound] = useState(0);
  const reader = useRef(read);
  reader.current = read;
  // biome-ignore lint/correctness/useExhaustiveDependencies: another round reads the same again
  useEffect(() => {
    const stopping = new AbortController();
    setState((before) => (before.key === key ? { ...before, isLoading: true } : { key, isLoading: true }));
    reader.current(stopping.signal).then(
      (value) => !stopping.signal.aborted && setState({ key, value, isLoading: false }),
      (error: unknown) => !stopping.signal.aborted && setState((before) => ({ ...before, error, isLoading: false })),
    );
    return () => stopping.abort();
  }, [key, round]);
  const again = useCallback(() => setRound((n) => n + 1), []);
  const isLoading = useRef(true);
  isLoading.current = state.isLoading;
  useEffect(() => {
    if (everyMs === undefined) return;
    // Not while an answer is on its way: a slow one would never arrive.
    const timer = setInterval(() => document.visibilityState === "visible" && !isLoading.current && again(), everyMs);
    return () => clearInterval(timer);
  }, [everyMs, again]);
  const isCurrent = state.key === key;
  return {
    value: isCurrent ? state.value : undefined,
    error: isCurrent ? state.error : undefined,
    isLoading: state.isLoading,
    again,
  };
}

/** What was read, or why it was not, or a word while it is on its way. */
export function Show<T>({
  of: { value, error, again },
  what,
  children,
}: {
  of: Loaded<T>;
  /** What is being loaded: "the inbox". */
  what: string;
  children: (value: T) => preact.ComponentChildren;
}) {
  return (
    <>
      {error !== undefined && <ProblemNote error={error} again={again} />}
      {value !== undefined ? children(value) : error === undefined ? <p class="loading">Loading {what} …</p> : null}
    </>
  );
}
