/**
 * Texts of whole characters. UTF-16 writes an emoji in two units: a text that is cut between them ends with half of a character, which
 * UTF-8 cannot represent. The SDK's core, and strict model providers, refuse such a text.
 */

/** The first `chars` UTF-16 units of a text, never half of a character. */
export function cutText(text: string, chars: number): string {
  const last = text.charCodeAt(chars - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? chars - 1 : chars);
}

/** The text itself if it has at most `chars` UTF-16 units, otherwise its beginning and `...`. */
export function shortened(text: string, chars: number): string {
  return text.length > chars ? `${cutText(text, chars)}...` : text;
}

/** The text itself if it has at most `chars` UTF-16 units, otherwise its beginning: with `...` at the end it has at most so many. */
export function fitted(text: string, chars: number): string {
  return text.length > chars ? `${cutText(text, chars - 3)}...` : text;
}

/** The last UTF-16 units of a text, at most `chars`, never half of a character. */
export function lastChars(text: string, chars: number): string {
  const first = text.charCodeAt(text.length - chars);
  return text.length <= chars ? text : text.slice(first >= 0xdc00 && first <= 0xdfff ? 1 - chars : -chars);
}
