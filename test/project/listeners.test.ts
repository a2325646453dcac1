import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Chunk } from "../../src/models";
import { loadProject } from "../../src/project/load";
import { temporaryFolder } from "../support/environment";

/** Listeners of a project: functions by name, beside its tools. */
let folder: ReturnType<typeof temporaryFolder>;
beforeEach(() => {
  folder = temporaryFolder("listeners");
  mkdirSync(folder.path, { recursive: true });
});
afterEach(() => folder.remove());

const load = (file: string, text: string) => {
  writeFileSync(path.join(folder.path, file), text);
  return loadProject(folder.path);
};

test("a listener of the configuration is the project's", async () => {
  const heard: Chunk[] = [];
  const { onChunk } = await load(
    "navigator.config.cjs",
    "module.exports = { onChunk: { screen: (chunk) => void chunk.heard.push(chunk) } };",
  );
  expect(Object.keys(onChunk)).toEqual(["screen"]);
  await onChunk.screen?.({ text: "x", heard } as never);
  expect(heard).toHaveLength(1);
});

test("a project without any has none", async () =>
  expect((await load("navigator.config.json", "{}")).onChunk).toEqual({}));

test("a listener that is not a function is refused with its name", async () =>
  await expect(load("navigator.config.json", '{ "onChunk": { "screen": "./screen.cjs" } }')).rejects.toThrow(
    "onChunk.screen: must be a function of a chunk",
  ));
