import { PassThrough } from "node:stream";
import type { ReadStream, WriteStream } from "node:tty";
import { LispHistory } from "../../../src/cli/lisp/history";
import { repl } from "../../../src/cli/lisp/repl";
import { createIo } from "../../../src/cli/terminal/io";

/** A terminal of two pipes. Keys are what a terminal sends. */
class Terminal {
  private readonly input = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => {} });
  private readonly output = Object.assign(new PassThrough(), { isTTY: true, columns: 100 });
  private written = "";
  private isOver = false;
  readonly ended: Promise<void>;

  constructor(history: LispHistory) {
    this.output.on("data", (chunk) => {
      this.written += chunk;
    });
    const io = createIo({ stdout: this.output, stderr: this.output }, { NO_COLOR: "1" });
    this.ended = repl(io, this.input as unknown as ReadStream, this.output as unknown as WriteStream, history).then(
      () => {
        this.isOver = true;
      },
    );
  }

  /** What is written in answer, without the codes that place the cursor. */
  async type(keys: string): Promise<string> {
    await this.read();
    this.written = "";
    this.input.write(keys);
    await this.read();
    return this.written.replace(/\u001b\[[0-9;?]*[A-Za-z]/g, "").replace(/\r/g, "");
  }

  /**
   * Until all keys are read, and what they did is written: both pipes are empty, and stay so while everything that is due runs. An escape
   * is a key of its own when nothing follows it for half a second; all other keys are read as they come.
   */
  private async read(): Promise<void> {
    for (let quiet = 0; quiet < 20 && !this.isOver; quiet++) {
      const before = this.written.length;
      await new Promise((resolve) => setImmediate(resolve));
      if (this.input.readableLength > 0 || this.output.readableLength > 0 || this.written.length > before) quiet = 0;
    }
  }
}

let terminal: Terminal;
beforeEach(() => {
  terminal = new Terminal(new LispHistory(undefined));
});
afterEach(async () => {
  await terminal.type("\u0003\u0004");
  await terminal.ended;
});

test("a complete input runs, an unfinished one continues on the next line", async () => {
  expect(await terminal.type("(+ 1 2)\r")).toBe("(+ 1 2)\n3\nlisp> ");
  expect(await terminal.type("(+ 1\r")).toBe("(+ 1\n  ... ");
  expect(await terminal.type(" 2)\r")).toMatch(/\n3\nlisp> $/);
  expect(await terminal.type('(println "a") (nope\r\n 1)\r')).toMatch(
    /Undefined variable: nope\n1 \| \(println "a"\) \(nope\n {2}\| {16}\^\nlisp> $/,
  );
});

test("what is pasted is one program, even where each line could be run", async () => {
  expect(await terminal.type("\u001b[200~(def a 1)\r(def b 2)\r(+ a b)\r\u001b[201~")).toMatch(
    /\(\+ a b\)\n {2}\.{3} 3\nlisp> $/,
  );
  expect(await terminal.type("\u001b[200~(+ 1\r 1)\u001b[201~")).not.toContain("2\nlisp");
  expect(await terminal.type("\r")).toMatch(/2\nlisp> $/);
});

test("pasted lines run as they become complete, also in a terminal that does not announce a paste", async () => {
  expect(await terminal.type("(defn f [x]\r\t(* x 2))\r(f 4)\r")).toMatch(/#'f\nlisp> \(f 4\)\n8\nlisp> $/);
});

test("Ctrl-C drops the typed input and keeps the session", async () => {
  await terminal.type("(def kept 7)\r(let [x\r");
  expect(await terminal.type("1 2\u0003")).toMatch(/\^C\nlisp> $/);
  expect(await terminal.type("kept\r")).toBe("kept\n7\nlisp> ");
  expect(await terminal.type("\u0003")).toMatch(/Ctrl-D leaves\.\nlisp> $/);
});

test("Tab completes builtins and definitions", async () => {
  await terminal.type("(def my-own-thing 3)\r");
  expect(await terminal.type("(inc my-o\t)\r")).toContain("4\nlisp> ".slice(1));
  expect(await terminal.type("(take-w\t")).toMatch(/take-while$/);
});

test("Up brings back the whole last input", async () => {
  await terminal.type("(+ 20\r 22)\r");
  expect(await terminal.type("\u001b[A")).toBe("lisp> (+ 20 22)");
  expect(await terminal.type("\r")).toMatch(/42\nlisp> $/);
});

test("doc and help explain, and exit leaves unless the session defined it", async () => {
  expect(await terminal.type("(doc inc)\r")).toContain("(inc n)\n");
  expect(await terminal.type("help\r")).toContain("Ctrl-D      leaves");
  expect(await terminal.type("(def exit 5)\rexit\r")).toMatch(/5\nlisp> $/);
});

test("exit leaves", async () => {
  await terminal.type("exit\r");
  await terminal.ended;
});
