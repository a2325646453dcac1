/** FNV-1a of a text in 32 bits, as 8 hex digits. Short and the same everywhere; not for secrets. */
export function fnv(text: string, seed = 0x811c9dc5): string {
  let hash = seed;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return (hash >>> 0).toString(16).padStart(8, "0");
}
