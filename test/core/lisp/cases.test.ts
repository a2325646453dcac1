import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { evaluate } from "./run";

/** Each line of a case file is a program with what it gives (`;=>`, as printed) or the code of its error (`;!!`). */
const folder = path.join(__dirname, "cases");

interface Row {
  program: string;
  says: string;
}

function rows(file: string): Row[] {
  const lines = readFileSync(path.join(folder, file), "utf8").split("\n");
  return lines
    .filter((line) => line !== "" && !line.startsWith(";;"))
    .map((line) => {
      const at = line.lastIndexOf(" ;=> ") > 0 ? line.lastIndexOf(" ;=> ") : line.lastIndexOf(" ;!! ");
      if (at < 0) throw new Error(`${file}: a case without its answer: ${line}`);
      return { program: line.slice(0, at), says: line.slice(at + 2) };
    });
}

describe.each(readdirSync(folder).sort())("%s", (file) => {
  test.each(rows(file))("$program $says", ({ program, says }) => {
    const { text } = evaluate(program);
    expect(text.startsWith("!! ") ? text : `=> ${text}`).toBe(says);
  });
});
