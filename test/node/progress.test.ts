import { progressOf } from "../../src/cli/terminal/io";

const written = (isTTY: boolean, steps: [done: number, total: number][]): string[] => {
  const texts: string[] = [];
  const progress = progressOf({ write: (text) => texts.push(text), isTTY });
  for (const [done, total] of steps) progress("sandbox", done, total);
  return texts;
};

test("on a terminal a bar is drawn over again, and is gone at the end", () => {
  const texts = written(true, [
    [0, 4],
    [2, 4],
    [2, 4],
    [4, 4],
  ]);
  expect(texts).toEqual([
    `\r\u001b[Ksandbox [${".".repeat(30)}] 0 %`,
    `\r\u001b[Ksandbox [${"#".repeat(15)}${".".repeat(15)}] 50 %`,
    "\r\u001b[K",
  ]);
});

test("elsewhere there is a line at each tenth", () => {
  const steps = Array.from({ length: 101 }, (_, i): [number, number] => [i, 100]);
  expect(written(false, steps)).toEqual(Array.from({ length: 10 }, (_, i) => `sandbox ${i * 10} %\n`));
});
