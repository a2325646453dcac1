/** Waits until `probe` gives something; fails by name after `limitMs`. Errors of the probe count as "not yet": what is asked may not be up. */
export async function until<T>(
  probe: () => Promise<T | undefined | null | false>,
  what: string,
  limitMs = 480_000,
): Promise<T> {
  const deadline = Date.now() + limitMs;
  let lastError: unknown;
  while (Date.now() < deadline) {
    try {
      const value = await probe();
      if (value !== undefined && value !== null && value !== false) return value;
    } catch (error) {
      lastError = error;
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`waited ${limitMs} ms in vain: ${what}`, { cause: lastError });
}
