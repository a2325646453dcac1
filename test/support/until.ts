import { Patience } from "./run/patience";

/** Waits until `probe` gives something; fails by name when patience is over. Errors of the probe count as "not yet": what is asked may not be up. */
export async function until<T>(
  probe: () => Promise<T | undefined | null | false>,
  what: string,
  limitMs?: number,
): Promise<T> {
  const began = Date.now();
  const patience = new Patience(limitMs);
  let lastError: unknown;
  do {
    try {
      const value = await probe();
      if (value !== undefined && value !== null && value !== false) return value;
    } catch (error) {
      lastError = error;
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  } while (!patience.isOver());
  throw new Error(`waited ${Date.now() - began} ms in vain: ${what}`, { cause: lastError });
}
