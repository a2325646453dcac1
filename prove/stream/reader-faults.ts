import type { StreamedCall } from "../../src/core/history/stream/transcript";

/** The faults in the text that a reader received, token by token. @param received `twice`: pieces that came more than once */
export function readerFaults(
  { text, state, twice }: { text: string; state: StreamedCall["state"] | undefined; twice: number },
  answer: string,
): string[] {
  return [
    ...(text === answer ? [] : [`The received text is not the answer: ${difference(text, answer)}.`]),
    ...(twice === 0 ? [] : [`${twice} pieces came twice.`]),
    ...(state === "whole" ? [] : [`The call ended as "${state}".`]),
  ];
}

function difference(found: string, expected: string): string {
  const [a, b] = [found.split(" "), expected.split(" ")];
  const differs = b.findIndex((token, i) => token !== a[i]);
  const at = differs < 0 ? b.length : differs;
  return `${a.length - 1} tokens of ${b.length - 1}, and token ${at} is "${a[at] ?? ""}" instead of "${b[at] ?? ""}"`;
}
