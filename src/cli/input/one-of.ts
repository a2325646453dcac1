import { badUsage } from "../terminal/exit";

/** An option that is one of some words. @throws NavigatorError `bad_usage` */
export function oneOf<T extends string>(option: string, text: string, words: readonly T[]): T {
  if ((words as readonly string[]).includes(text)) return text as T;
  throw badUsage(option, `${option} must be one of ${words.join(", ")}, got "${text}".`);
}
