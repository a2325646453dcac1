import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { readEnvFile } from "../../../src/node/env-file";
import { initProject, packageName } from "../../../src/project/init/init-project";

import { loadProject } from "../../../src/project/load";
import { temporaryFolder } from "../../support/environment";

const settings = { template: path.join(__dirname, "../../../templates/project"), version: "9.8.7" };
const folder = temporaryFolder("init");
afterAll(() => folder.remove());
const inFolder = (...parts: string[]) => path.join(folder.path, ...parts);
const textOf = (...parts: string[]) => readFileSync(inFolder(...parts), "utf8");
const put = (text: string, ...parts: string[]) => {
  mkdirSync(path.dirname(inFolder(...parts)), { recursive: true });
  writeFileSync(inFolder(...parts), text);
};

test("a new project has an agent, a tool, a test and a graph", () => {
  const made = initProject(inFolder("new/My Shop"), settings);
  expect(made).toMatchObject({ isAdded: false, kept: [] });
  expect(made.created).toEqual([
    ...[".env.example", ".gitignore", "AGENTS.md", "README.md", "agents/refund.ts", "first-mission.json"],
    ...["graphs/refund-case.json", "navigator.config.ts", "package.json", "script.ts", "test/refund.test.ts"],
    ...["tools/refund-card.ts", "tsconfig.json"],
  ]);
  expect(JSON.parse(textOf("new/My Shop", "package.json"))).toMatchObject({
    name: "my-shop",
    scripts: { dev: expect.any(String), test: expect.any(String), start: expect.any(String) },
    dependencies: { "navigator-agents": "9.8.7" },
  });
});

test("the template is a project without a mistake, and needs no advice", async () => {
  const project = await loadProject(settings.template, { env: {} });
  expect(Object.keys(project.agents)).toEqual(["refund"]);
  expect(project.tools.specs()).toMatchObject([{ name: "refund_card", effect: "write", approval: expect.anything() }]);
  expect(project.advice()).toEqual([]);
});

test("a second time, and where a file would be replaced, nothing is written", () => {
  initProject(inFolder("twice"), settings);
  expect(() => initProject(inFolder("twice"), settings)).toThrow(
    expect.objectContaining({ code: "already_exists", details: { path: inFolder("twice"), kind: "project" } }),
  );
  put("mine", "taken/agents/refund.ts");
  expect(() => initProject(inFolder("taken"), settings)).toThrow(
    expect.objectContaining({ code: "already_exists", message: expect.stringContaining("agents/refund.ts") }),
  );
  expect(readdirSync(inFolder("taken"))).toEqual(["agents"]);
  expect(textOf("taken/agents/refund.ts")).toBe("mine");
  put("a file", "file");
  expect(() => initProject(inFolder("file"), settings)).toThrow(
    expect.objectContaining({ code: "already_exists", details: { path: inFolder("file"), kind: "file" } }),
  );
});

test("a package gets what is missing, its files stay as they are, and commands say what else it needs", () => {
  const manifest = { name: "shop", scripts: { test: "jest" }, dependencies: { zod: "4.0.0" } };
  put(JSON.stringify(manifest), "shop/package.json");
  put("node_modules\n", "shop/.gitignore");
  put("{}", "shop/tsconfig.json");
  const made = initProject(inFolder("shop"), { ...settings, userAgent: "pnpm/9.1.0 npm/? node/v20" });
  expect(made).toMatchObject({ isAdded: true, kept: [".gitignore", "package.json", "tsconfig.json"] });
  expect(made.created).not.toContain("README.md");
  expect(JSON.parse(textOf("shop/package.json"))).toEqual(manifest);
  expect(textOf("shop/.gitignore")).toBe("node_modules\n");
  expect(made.next[1]).toBe("pnpm add navigator-agents@9.8.7");
  expect(made.next).toContain("pnpm pkg set 'scripts.test:agents=node --import tsx --test test/*.test.ts'");
  expect(made.next).toContain("printf '.env\\n.navigator/\\n' >> .gitignore");
  expect(made.next.join("\n")).toContain("allowImportingTsExtensions");
  expect(made.next.at(-1)).toBe("pnpm run dev");
});

test("commands begin in the folder, speak the package manager of its lock file, and see an old zod and a .gitignore without a line end", () => {
  put("", "mono/pnpm-lock.yaml");
  put(
    JSON.stringify({ dependencies: { zod: "^3.22.0", "navigator-agents": "workspace:*" } }),
    "mono/apps/shop/package.json",
  );
  put("dist", "mono/apps/shop/.gitignore");
  const { next } = initProject(inFolder("mono/apps/shop"), { ...settings, userAgent: "npm/10.8.2 node/v20" });
  expect(next[0]).toBe(`cd ${path.relative(process.cwd(), inFolder("mono/apps/shop"))}`);
  expect(next).toContainEqual(
    expect.stringMatching(/^pnpm add zod@4\S+ {3}# the new files need zod 4, .* asks for \^3\.22\.0$/),
  );
  expect(next.join("\n")).not.toContain("navigator-agents@");
  expect(next).toContainEqual(expect.stringMatching(/^pnpm pkg set scripts\.start=|^pnpm pkg set 'scripts\.start=/));
  const [ignore = ""] = next.filter((line) => line.startsWith("printf"));
  execFileSync("sh", ["-c", ignore], { cwd: inFolder("mono/apps/shop") });
  expect(textOf("mono/apps/shop/.gitignore")).toBe("dist\n.env\n.navigator/\n");
});

test.each([
  { folder: "/a/My App", name: "my-app" },
  { folder: "/a/.hidden_", name: "hidden" },
  { folder: "/a/日本", name: "my-app" },
])("the package of $folder is called $name", ({ folder, name }) => expect(packageName(folder)).toBe(name));

test("settings of .env are taken, and those of the environment win", () => {
  put('NAVIGATOR_MODEL=scripted\nA_KEY="x y"\n# B=1\n', "env/.env");
  put("{}", "env/navigator.config.json");
  const env: NodeJS.ProcessEnv = { NAVIGATOR_MODEL: "own/model" };
  expect(readEnvFile(inFolder("env/navigator.config.json"), env)).toEqual(["A_KEY"]);
  expect(env).toEqual({ NAVIGATOR_MODEL: "own/model", A_KEY: "x y" });
  expect(readEnvFile(inFolder("nowhere"), env)).toEqual([]);
  expect(existsSync(inFolder("nowhere"))).toBe(false);
});
