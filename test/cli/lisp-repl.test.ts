import { spawnSync } from "node:child_process";
import path from "node:path";
import { openPlace, type Place } from "../support/cli";

/** The REPL on a real terminal; Python, where it is installed, makes one. */
const MAIN = path.join(__dirname, "../../dist/cli/main.js");
const python = spawnSync("python3", ["-c", "import pty"]).status === 0;

/** Types each step once the last one has been answered; prints all that was written, as JSON with the exit code. */
const DRIVER = `
import json, os, pty, select, sys, time
command, steps = json.loads(sys.argv[1])
pid, fd = pty.fork()
if pid == 0:
    os.execvp(command[0], command)
written = []
for keys, until in steps:
    os.write(fd, keys.encode())
    got, end = b"", time.time() + 120
    while until.encode() not in got and time.time() < end:
        if select.select([fd], [], [], 0.1)[0]:
            try:
                chunk = os.read(fd, 65536)
            except OSError:
                break
            if not chunk:
                break
            got += chunk
    written.append(got.decode())
    if until.encode() not in got:
        os.kill(pid, 9)
        break
print(json.dumps({"written": written, "code": os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])}))
`;

let place: Place;
beforeAll(async () => {
  place = await openPlace("repl", { TEMPORAL_ADDRESS: "127.0.0.1:1" });
});
afterAll(() => place.close());

function typed(command: string[], steps: [keys: string, until: string][]): { written: string[]; code: number } {
  const end = spawnSync("python3", ["-c", DRIVER, JSON.stringify([command, steps])], {
    env: { PATH: process.env.PATH, HOME: place.folder, TERM: "xterm", NO_COLOR: "1" },
    encoding: "utf8",
    timeout: 300_000,
  });
  if (end.status !== 0) throw new Error(end.stderr || "the terminal did not answer");
  return JSON.parse(end.stdout);
}

const REPL = [process.execPath, MAIN, "lisp"];

(python ? describe : describe.skip)("navigator lisp on a terminal", () => {
  test("it runs inputs, survives Ctrl-C, ends with Ctrl-D, and remembers the inputs for the next session", () => {
    const first = typed(REPL, [
      ["", "lisp> "],
      ["(+ 40\r 2)\r", "\n42\r\n"],
      ["(let [x\u0003", "^C"],
      ["(* *1 2)\r", "\n84\r\n"],
      ["\u0004", "\r\n"],
    ]);
    expect(first).toMatchObject({ code: 0 });
    expect(first.written.slice(1).every((text) => text !== "")).toBe(true);
    const second = typed(REPL, [
      ["", "lisp> "],
      ["\u001b[A\u001b[A\r", "\n42\r\n"],
      ["exit\r", "\r\n"],
    ]);
    expect(second).toMatchObject({
      code: 0,
      written: [expect.anything(), expect.stringContaining("(+ 40 2)"), expect.anything()],
    });
  });

  test("Ctrl-C ends an endless program", () => {
    const program = `
      const { interruptible } = require(${JSON.stringify(path.join(path.dirname(MAIN), "lisp/repl.js"))});
      process.on("SIGINT", () => {});
      process.stdin.setRawMode(true).setRawMode(false);
      const work = () => { require("fs").writeSync(1, "running"); for (;;); };
      console.log("ended", interruptible(work));
      process.exit(0);`;
    const end = typed(
      [process.execPath, "-e", program],
      [
        ["", "running"],
        ["\u0003", "ended undefined"],
      ],
    );
    expect(end).toMatchObject({ code: 0, written: [expect.anything(), expect.stringContaining("ended undefined")] });
  });

  test("it writes no prompts if its output is not a terminal", () => {
    const end = typed(
      ["sh", "-c", `${process.execPath} ${MAIN} lisp | cat`],
      [
        ["(println 1)\n(+ 1 2)\n", "(+ 1 2)"],
        ["\u0004", "\n3\r\n"],
      ],
    );
    expect(end.written.join("")).not.toContain("lisp>");
    expect(end.written[1]).toContain("1\r\n3\r\n");
  });
});
