import { useLayoutEffect, useRef } from "preact/hooks";

/** What single keys do, while nobody types: `{j: next, k: before}`. */
export function useKeys(keys: { readonly [key: string]: () => void }): void {
  const current = useRef(keys);
  current.current = keys;
  // Before it is painted: a key that is pressed at once must not be lost.
  useLayoutEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      if (event.metaKey || event.ctrlKey || event.altKey || isTyping(event.target)) return;
      // A dialog closes itself with Escape, unless somebody takes the key away from it.
      if (document.querySelector("dialog[open]") !== null) return;
      const action = current.current[event.key];
      if (action === undefined) return;
      event.preventDefault();
      action();
    };
    addEventListener("keydown", pressed);
    return () => removeEventListener("keydown", pressed);
  }, []);
}

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || ["INPUT", "TEXTAREA", "SELECT"].includes(target.tagName));
