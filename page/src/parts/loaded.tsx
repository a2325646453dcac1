import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { ProblemNote } from "./problem";

/** What changes often is read once for several changes. */
const SOON_MS = 100;

/** Something that is read from the API, and read again. What was read before stays while the next is on its way. */
export interface Loaded<T> {
  value: T | undefined;
  error: unknown;
  again(): void;
}

/** When something is read again automatically. */
interface Rereading<T> {
  /** So long after each answer, in ms, while the page is seen: a slow answer is waited for. Absent: not by the clock. */
  everyMs?: number;
  /** After such an answer it is not read again automatically. */
  isOver?: (value: T) => boolean;
  /** Another number reads it again soon. A read that is under way ends first: what changes often would never be seen. */
  changes?: number;
  /** What was read for another key stays until there is an answer for this one. */
  keeps?: boolean;
}

/** @param read is called when `key` changes, with `again`, and at the times of `rereading` */
export function useLoaded<T>(
  key: string,
  read: (signal: AbortSignal) => Promise<T>,
  rereading?: Rereading<T>,
): Loaded<T> {
  const [state, setState] = useState<{ key: string; value?: T; error?: unknown }>({ key });
  const [round, setRound] = useState(0);
  const everyMs = rereading?.everyMs;
  const changes = rereading?.changes ?? 0;
  const keeps = rereading?.keeps ?? false;
  const current = useRef({ read, isOver: rereading?.isOver });
  current.current = { read, isOver: rereading?.isOver };
  const recheck = useRef<() => void>(() => {});
  // biome-ignore lint/correctness/useExhaustiveDependencies: another round reads the same again
  useEffect(() => {
    const stopping = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isReading = false;
    let isWanted = false;
    const later = (ms: number | undefined) => {
      clearTimeout(timer);
      if (ms === undefined) return;
      timer = setTimeout(() => (document.visibilityState === "visible" ? void once() : later(ms)), ms);
    };
    const once = async () => {
      isReading = true;
      isWanted = false;
      try {
        const value = await current.current.read(stopping.signal);
        if (stopping.signal.aborted) return;
        setState({ key, value });
        if (isWanted) later(SOON_MS);
        else if (current.current.isOver?.(value) !== true) later(everyMs);
      } catch (error) {
        if (stopping.signal.aborted) return;
        setState((before) => ({ ...(before.key === key || keeps ? before : {}), key, error }));
        later(isWanted ? SOON_MS : everyMs);
      } finally {
        isReading = false;
      }
    };
    recheck.current = () => {
      if (isReading) isWanted = true;
      else later(SOON_MS);
    };
    void once();
    return () => {
      recheck.current = () => {};
      stopping.abort();
      clearTimeout(timer);
    };
  }, [key, everyMs, round]);
  const seen = useRef(changes);
  useEffect(() => {
    if (seen.current === changes) return;
    seen.current = changes;
    recheck.current();
  }, [changes]);
  const again = useCallback(() => setRound((n) => n + 1), []);
  const isCurrent = state.key === key;
  return { value: isCurrent || keeps ? state.value : undefined, error: isCurrent ? state.error : undefined, again };
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
