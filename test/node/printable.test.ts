import { createIo } from "../../src/cli/terminal/io";
import { printable } from "../../src/cli/terminal/printable";
import { createColors } from "../../src/cli/terminal/render";

/** Texts of models, tools and people on a terminal. */

test.each([
  ["clears the screen", "a\u001b[2Jb", "a\\u001b[2Jb"],
  [
    "hides a link",
    "\u001b]8;;http://evil.example\u0007safe\u001b]8;;\u0007",
    "\\u001b]8;;http://evil.example\\u0007safe\\u001b]8;;\\u0007",
  ],
  ["conceals the text that follows", "\u001b[8mpaid", "\\u001b[8mpaid"],
  ["is a command of one character (CSI)", "\u009b31mred", "\\u009b31mred"],
  ["overwrites its line", "denied\rapproved", "denied\\u000dapproved"],
  ["goes back over what was there", "no\b\byes", "no\\u0008\\u0008yes"],
  ["turns the direction around", "user\u202Etxt.exe\u2066", "user\\u202etxt.exe\\u2066"],
  ["is another line for some readers", "one\u2028two\u2029", "one\\u2028two\\u2029"],
  ["rings, ends or is nothing", "\u0007\u0000\u007f", "\\u0007\\u0000\\u007f"],
])("a text that %s is shown with its escape", (_, text, shown) => {
  expect(printable(text)).toBe(shown);
});

test.each(["", "Zeile 1\n\tZeile 2", "👩‍👩‍👧 می‌خواهم שלום \u200F", "\\u001b[2J as text"])(
  "%j stays as it is",
  (text) => {
    expect(printable(text)).toBe(text);
  },
);

test("a line end of Windows is a line end", () => expect(printable("a\r\nb")).toBe("a\nb"));

test("the command line's own colours stay", () => {
  const color = createColors(true, {});
  const text = Object.values(color)
    .map((style) => style("x"))
    .join(" ");
  expect(printable(text)).toBe(text);
});

describe("a command's output", () => {
  function written(isTTY: boolean, json: boolean) {
    const parts: string[] = [];
    const stream = { isTTY, write: (text: string) => parts.push(text) };
    const io = createIo({ stdout: stream, stderr: stream }, {});
    io.json = json;
    const evil = "a\u001b[2J";
    io.result({ evil }, () => evil);
    io.event({ evil }, () => evil);
    io.out(evil);
    io.err(evil);
    return parts;
  }
  const [raw, escaped] = ["a\u001b[2J\n", "a\\u001b[2J\n"];

  test("on a terminal has no commands in it", () => {
    expect(written(true, false)).toEqual([escaped, escaped, escaped, escaped]);
  });

  test("into a file or a pipe is as it was", () => expect(written(false, false)).toEqual([raw, raw, raw, raw]));

  test("as JSON is the same on a terminal and in a file", () => {
    const [result, event] = written(true, true);
    expect([result, event]).toEqual(written(false, true).slice(0, 2));
    expect(JSON.parse(event as string)).toEqual({ evil: "a\u001b[2J" });
  });
});
