/** All payloads of an exported history, decoded, one to a line: what a search in the history would find. */
export function historyText(history: unknown): string {
  const found: string[] = [];
  JSON.stringify(history, (key, value: unknown) => {
    if (key === "data" && typeof value === "string") found.push(Buffer.from(value, "base64").toString());
    return value;
  });
  return found.join("\n");
}
