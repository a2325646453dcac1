import { spawnSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { loadProject } from "../../src/project/load";
import { temporaryFolder } from "../support/environment";

let folder: ReturnType<typeof temporaryFolder>;
beforeEach(() => {
  folder = temporaryFolder("typescript");
  mkdirSync(folder.path, { recursive: true });
  symlinkSync(path.join(__dirname, "../../node_modules"), path.join(folder.path, "node_modules"));
});
afterEach(() => folder.remove());

const write = (file: string, text: string) => writeFileSync(path.join(folder.path, file), text);

test.each(["ts", "mts", "cts"])(
  "a configuration in TypeScript, navigator.config.%s, is read without a build",
  async (ending) => {
    write(
      "tool.ts",
      `import { defineTool } from "navigator-agents";
     import { z } from "zod";
     interface Sum { a: number; b: number }
     export const add = defineTool({ name: "add", effect: "read", input: z.object({ a: z.int(), b: z.int() }), run: ({ a, b }: Sum): number => a + b });`,
    );
    write(
      `navigator.config.${ending}`,
      `import { defineAgent, defineConfig } from "navigator-agents";
     import { add } from "./tool";
     const adder = defineAgent({ name: "adder", prompt: "Add.", tools: [add] });
     export default defineConfig({ project: "sums", tools: [add], agents: [adder] });`,
    );
    const project = await loadProject(folder.path, { env: {} });
    expect(project.name).toBe("sums");
    expect(Object.keys(project.agents)).toEqual(["adder"]);
    const add = project.tools.get("add");
    expect(await add?.run({ a: 1, b: 2 }, {} as never)).toBe(3);
  },
);

test.each(["navigator.config.ts", "imported.ts"])("a mistake in %s names the file and the line", async (file) => {
  write("navigator.config.ts", 'import "./imported";\nexport default {};\n');
  write(file, "export default {\n  tools: [\n};\n");
  await expect(loadProject(folder.path, { env: {} })).rejects.toMatchObject({
    code: "bad_project",
    message: expect.stringMatching(new RegExp(`${file}:3 cannot be loaded: Unexpected token$`)),
  });
});

test("what code throws while it loads names the place in the file that threw, whichever file was asked for", async () => {
  write("navigator.config.ts", 'import refund from "./refund";\nexport default { agents: [refund] };\n');
  write(
    "refund.ts",
    'import { defineAgent } from "navigator-agents";\ntype Cents = {\n  cents: number;\n};\nexport default defineAgent({ prompt: "Refund.", tools: [refundCardd] });\n',
  );
  const load = loadProject(folder.path, { env: {} });
  await expect(load).rejects.toMatchObject({
    code: "bad_project",
    message: `${path.join(folder.path, "refund.ts")}:5 cannot be loaded: refundCardd is not defined`,
  });
  write(
    "refund.ts",
    'import { defineAgent } from "navigator-agents";\nexport default defineAgent({\n  name: "refund", prompt: "Refund.", maxTurns: 3 } as never);\n',
  );
  await expect(loadProject(folder.path, { env: {} })).rejects.toMatchObject({
    message: expect.stringMatching(
      /refund\.ts:2 cannot be loaded: The agent "refund" has a mistake: maxTurns: unknown option "maxTurns"; did you mean max_turns\?$/,
    ),
  });
});

test.each(["null", '"closed"'])("a module that throws %s, which is no error, is named", async (thrown) => {
  write("navigator.config.ts", `throw ${thrown};\n`);
  await expect(loadProject(folder.path, { env: {} })).rejects.toMatchObject({
    code: "bad_project",
    message: expect.stringMatching(
      new RegExp(`navigator\\.config\\.ts cannot be loaded: it threw ${thrown.replaceAll('"', "")}$`),
    ),
  });
});

test("a module that is not there is named", async () => {
  write("navigator.config.ts", 'import "./missing";\nexport default {};\n');
  await expect(loadProject(folder.path, { env: {} })).rejects.toMatchObject({
    code: "bad_project",
    message: expect.stringContaining("missing"),
  });
});

test.each(["navigator.config.ts", "navigator.config.cjs", "navigator.config.mjs"])(
  "%s that ends the process is named, and its exit code stands for none of ours",
  (name) => {
    write(name, "process.exit(3);\n");
    const root = path.join(__dirname, "../..");
    const main = path.join(root, "src/cli/main.ts");
    const args = ["-r", path.join(root, "scripts/register-ts.cjs"), main, "tools"];
    const { status, stderr } = spawnSync(process.execPath, args, { cwd: folder.path, encoding: "utf8" });
    expect({ status, stderr }).toEqual({
      status: 2,
      stderr: expect.stringMatching(
        new RegExp(
          `^error \\[bad_project\\] .*${name}:1 called process\\.exit\\(3\\) while .*${name} was loaded\\.\\n$`,
        ),
      ),
    });
  },
);
