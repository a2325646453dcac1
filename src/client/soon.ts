import { NavigatorError } from "../core/base/navigator-error";

/** A worker answers in milliseconds, and in a second or two if it must replay a long history first. */
const SOON_MS = 4_000;

/** An answer for a list, if a worker gives it soon; undefined = none did, and the list goes on without it. */
export async function soon<T>(answer: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), SOON_MS);
  });
  const answered = answer.catch((error: unknown) => {
    if (error instanceof NavigatorError && error.code === "no_worker") return undefined;
    throw error;
  });
  // What comes too late, answer or error, is nobody's.
  answered.catch(() => {});
  return Promise.race([answered, late]).finally(() => clearTimeout(timer));
}
