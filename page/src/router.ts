import { useEffect, useState } from "preact/hooks";

/** Where the page is: the parts of its path, decoded, and its query. Everything in the page has an address. */
export interface Place {
  parts: string[];
  query: URLSearchParams;
}

/** A part with a broken percent sign is taken as it is. */
export function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function placeNow(): Place {
  const parts = location.pathname.split("/").filter((part) => part !== "");
  return { parts: parts.map(decoded), query: new URLSearchParams(location.search) };
}

/** Goes to an address of the page. @param replace leaves no way back to where it is now */
export function go(address: string, replace = false): void {
  history[replace ? "replaceState" : "pushState"](null, "", address);
  dispatchEvent(new PopStateEvent("popstate"));
}

/** This address with a part of its query set, and the rest as it is. */
export function addressWith(changes: { [name: string]: string | undefined }): string {
  const query = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined || value === "") query.delete(name);
    else query.set(name, value);
  }
  const text = query.toString();
  return `${location.pathname}${text === "" ? "" : `?${text}`}`;
}

/** Goes to `addressWith`. */
export const setQuery = (changes: { [name: string]: string | undefined }): void => go(addressWith(changes), true);

export function usePlace(): Place {
  const [place, setPlace] = useState(placeNow);
  useEffect(() => {
    const moved = () => setPlace(placeNow());
    addEventListener("popstate", moved);
    return () => removeEventListener("popstate", moved);
  }, []);
  return place;
}

/** Links within the page do not load it anew. */
export function followLinks(): void {
  document.addEventListener("click", (event) => {
    const link = (event.target as Element | null)?.closest("a");
    if (!link || event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey)
      return;
    if (link.target !== "" || link.hasAttribute("download") || link.origin !== location.origin) return;
    if (link.pathname.startsWith("/api/")) return;
    event.preventDefault();
    if (link.href !== location.href) go(link.pathname + link.search + link.hash);
    document.querySelector("main")?.focus();
  });
}

/** The address of a mission, task, plan, or run below one. */
export const missionAddress = (workflowId: string): string => `/missions/${encodeURIComponent(workflowId)}`;
/** The address of a turn of an agent's run. */
export const turnAddress = (workflowId: string, turn: number, invocation: number): string =>
  `${missionAddress(workflowId)}#turn-${invocation}.${turn}`;
export const graphAddress = (id: string): string => `/graphs/${encodeURIComponent(id)}`;
export const reviewAddress = (review: string): string => `/inbox/${encodeURIComponent(review)}`;
