import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import type { Loaded } from "../parts/loaded";

/** What changes often is read once for several changes. */
const SOON_MS = 100;

/**
 * Something that changes while it is shown: it is read again a while after each answer, as long as the page is seen, until it is
 * over. Unlike `useLoaded` with a time, a slow answer is waited for.
 *
 * @param changes another number reads it again soon
 */
export function useLive<T>(
  key: string,
  read: (signal: AbortSignal) => Promise<T>,
  { everyMs, isOver, changes = 0 }: { everyMs: number; isOver?: (value: T) => boolean; changes?: number },
): Loaded<T> {
  const [state, setState] = useState<{ key: string; value?: T; error?: unknown; isLoading: boolean }>({
    key,
    isLoading: true,
  });
  const [round, setRound] = useState(0);
  const current = useRef({ read, isOver });
  current.current = { read, isOver };
  const poke = useRef<() => void>(() => {});
  // biome-ignore lint/correctness/useExhaustiveDependencies: another round reads the same again
  useEffect(() => {
    const stopping = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isReading = false;
    let isWanted = false;
    const later = (ms: number) => {
      clearTimeout(timer);
      timer = setTimeout(() => (document.visibilityState === "visible" ? void once() : later(ms)), ms);
    };
    const once = async () => {
      isReading = true;
      isWanted = false;
      try {
        const value = await current.current.read(stopping.signal);
        if (stopping.signal.aborted) return;
        setState({ key, value, isLoading: false });
        if (isWanted) later(SOON_MS);
        else if (current.current.isOver?.(value) !== true) later(everyMs);
      } catch (error) {
        if (stopping.signal.aborted) return;
        setState((before) => ({ ...(before.key === key ? before : {}), key, error, isLoading: false }));
        later(everyMs);
      } finally {
        isReading = false;
      }
    };
    poke.current = () => {
      if (isReading) isWanted = true;
      else later(SOON_MS);
    };
    void once();
    return () => {
      poke.current = () => {};
      stopping.abort();
      clearTimeout(timer);
    };
  }, [key, everyMs, round]);
  const seen = useRef(changes);
  useEffect(() => {
    if (seen.current === changes) return;
    seen.current = changes;
    poke.current();
  }, [changes]);
  const again = useCallback(() => setRound((n) => n + 1), []);
  const isCurrent = state.key === key;
  return {
    value: isCurrent ? state.value : undefined,
    error: isCurrent ? state.error : undefined,
    isLoading: state.isLoading,
    again,
  };
}
