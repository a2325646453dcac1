import type { CardDraft, KeptDraft } from "../../parts/review-card";

/** What is filled in for a review, and for exactly what it asks, is kept in the browser until it is sent. */
export function keptDraft(review: string, seal = ""): KeptDraft {
  const key = `navigator-draft ${review} ${seal}`;
  return {
    read: () => {
      try {
        return JSON.parse(sessionStorage.getItem(key) ?? "null") as CardDraft | null;
      } catch {
        return null;
      }
    },
    write: (draft) => {
      if (draft === null) sessionStorage.removeItem(key);
      else sessionStorage.setItem(key, JSON.stringify(draft));
    },
  };
}

const sentKey = (review: string, seal = "") => `navigator-sent ${review} ${seal}`;

/** What somebody has decided, and no worker has taken yet; null: nothing. It counts as soon as one comes, also after a reload. */
export const sentChoice = (review: string, seal?: string): string | null =>
  sessionStorage.getItem(sentKey(review, seal));

/** @param choice null: it was answered, or is decided anew */
export function keepSentChoice(review: string, seal: string | undefined, choice: string | null): void {
  if (choice === null) sessionStorage.removeItem(sentKey(review, seal));
  else sessionStorage.setItem(sentKey(review, seal), choice);
}

const NAME = "navigator-name";

/** Under which name somebody decides, in a project without people. */
export const givenName = (): string => localStorage.getItem(NAME) ?? "";
export const keepName = (name: string): void => localStorage.setItem(NAME, name);
