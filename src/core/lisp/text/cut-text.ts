/** The first `chars` UTF-16 units, never half a character. */
export function cutText(text: string, chars: number): string {
  const last = text.charCodeAt(chars - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? chars - 1 : chars);
}

/** The text itself when it has at most `chars` characters, otherwise its beginning. */
export function shortened(text: string, chars: number): string {
  return text.length > chars ? `${cutText(text, chars)}...` : text;
}
